"""API keys over REST: who may do what, where, on every route that there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from api.keys import Key, Keys, digest_of
from api.rest.app import create_app
from api.rest.middleware.access import is_loopback
from api.wiring import Services

KEYS = Keys(
    keys=(
        Key(name="reader", sha256=digest_of("r"), role="read", workspaces=frozenset({"default", "lab"})),
        Key(name="writer", sha256=digest_of("w"), role="write", workspaces=frozenset({"default"})),
        Key(name="admin", sha256=digest_of("a"), role="write", workspaces=None),
    )
)


@pytest.fixture
def guarded(services: Services) -> Iterator[TestClient]:
    services.workspaces.create("secret")
    with TestClient(create_app(services, KEYS, refresh=False)) as client:
        yield client


def show(secret: str) -> dict[str, str]:
    return {"X-API-Key": secret}


def test_no_key_and_a_wrong_key_are_told_apart_from_nothing(guarded: TestClient) -> None:
    for headers in ({}, show("x"), show(""), {"Authorization": "Basic r"}, {"Authorization": "Bearer"}):
        reply = guarded.get("/v1/workspaces", headers=headers)
        assert reply.status_code == 401
        assert reply.headers["WWW-Authenticate"].startswith("Bearer")
        assert reply.json()["type"] == "urn:retinue:problem:unauthenticated"


def test_no_key_opens_nothing_even_where_its_digest_is_known(services: Services) -> None:
    keys = Keys(keys=(Key(name="k", sha256=digest_of(""), role="write", workspaces=None),))
    client = TestClient(create_app(services, keys, refresh=False))
    for headers in ({}, show(""), {"Authorization": "Bearer "}):
        assert client.get("/v1/workspaces", headers=headers).status_code == 401
        assert client.delete("/v1/workspaces/default", headers=headers).status_code == 401


def test_a_key_in_the_query_string_opens_nothing(guarded: TestClient) -> None:
    assert guarded.get("/v1/workspaces?api_key=a").status_code == 401


def test_both_headers_open(guarded: TestClient) -> None:
    assert guarded.get("/v1/workspaces", headers=show("a")).status_code == 200
    assert guarded.get("/v1/workspaces", headers={"Authorization": "bearer a"}).status_code == 200


def test_a_workspace_that_is_not_named_is_closed_whether_it_exists_or_not(guarded: TestClient) -> None:
    replies = [guarded.get(f"/v1/workspaces/{name}/memories", headers=show("w")) for name in ("secret", "none")]
    assert [reply.status_code for reply in replies] == [403, 403]
    assert replies[0].text.replace("secret", "none") == replies[1].text


def test_a_list_shows_what_the_key_opens(guarded: TestClient) -> None:
    def names(secret: str) -> list[str]:
        return [item["name"] for item in guarded.get("/v1/workspaces", headers=show(secret)).json()["workspaces"]]

    assert names("w") == ["default"]
    assert names("a") == ["default", "secret"]


def routes(client: TestClient) -> list[tuple[str, str]]:
    schema = client.get("/openapi.json", headers=show("a")).json()
    return [(method.upper(), path) for path, methods in schema["paths"].items() for method in methods]


OPEN = {"/healthz", "/readyz", "/metrics"}


def test_every_route_asks_for_a_key_and_its_role(guarded: TestClient) -> None:
    seen = 0
    for method, template in routes(guarded):
        path = template.replace("{workspace}", "default").replace("{object_id}", "x").replace("{memory_id}", "x")
        if path in OPEN:
            assert guarded.request(method, path).status_code == 200
            continue
        seen += 1
        assert guarded.request(method, path).status_code == 401, path
        reads = method == "GET" or path.endswith(("/discover", "/retain"))  # retain looks at `apply` itself
        as_reader = guarded.request(method, path, headers=show("r")).status_code
        assert (as_reader != 403) == reads, (method, path)
        if path != "/v1/workspaces":
            elsewhere = path.replace("/default", "/secret")
            assert guarded.request(method, elsewhere, headers=show("w")).status_code == 403, (method, path)
    assert seen > 12


def test_a_reader_leaves_no_record(guarded: TestClient, services: Services) -> None:
    before = services.store.show_stamp("default")
    reply = guarded.post("/v1/workspaces/default/discover", json={"intent": "loans"}, headers=show("r"))
    assert reply.status_code == 200
    assert services.store.show_stamp("default") == before


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("localhost:8765", True),
        ("127.0.0.1:1", True),
        ("[::1]:8765", True),
        ("127.0.0.1.evil.example", False),
        ("evil.example:8765", False),
        ("0.0.0.0", False),
        ("", False),
        ("[::1", False),
        ("[", False),
        ("℀".encode().decode("latin-1"), False),
    ],
)
def test_a_server_without_keys_answers_to_this_machine_alone(services: Services, host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
    client = TestClient(create_app(services, loopback_only=True, refresh=False))
    status = client.get("/v1/workspaces", headers={b"Host": host.encode("latin-1")}).status_code
    assert status == (200 if loopback else 403)


def test_every_route_is_in_the_description(guarded: TestClient) -> None:
    described = {path for _, path in routes(guarded)}
    app = guarded.app
    assert isinstance(app, FastAPI)
    built = {route.path_format for route in app.routes if isinstance(route, APIRoute) and route.include_in_schema}
    assert built <= described
