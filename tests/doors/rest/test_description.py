"""The OpenAPI description: complete, with an example for each body, and true, as random requests find it."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from api.rest.app import create_app
from api.settings import read_settings
from api.wiring import Services, open_services
from kit.replies import CheckedClient

services = open_services(read_settings({}, store="memory://", encoder="none"))
app = create_app(services, refresh=False)
schema = schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return dict(TestClient(app).get("/openapi.json").json())


@schema.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_random_requests_get_what_is_described(case: schemathesis.Case[Any]) -> None:
    # a schema cannot say all that is asked: that an intent has a word in it, that objects named are there
    case.call_and_validate(excluded_checks=[positive_data_acceptance])


def test_every_body_has_an_example_that_is_valid(description: dict[str, Any]) -> None:
    client = TestClient(app)
    client.put("/v1/workspaces/examples")
    bodies = 0
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            if "requestBody" not in operation:
                continue
            bodies += 1
            name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
            example = description["components"]["schemas"][name]["examples"][0]
            target = path.replace("{workspace}", "examples").replace("{memory_id}", "m_none")
            reply = client.request(method, target, json=example)
            fields = {fault["where"] for fault in reply.json().get("errors") or ()}
            assert not fields, (path, reply.text)
            assert reply.status_code < 500
    assert bodies >= 7


def test_every_route_says_what_it_does_and_how_it_fails(description: dict[str, Any]) -> None:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (method, path)
            if path.startswith("/v1"):
                problems = operation["responses"]["422"]["content"]
                assert list(problems) == ["application/problem+json"], (method, path)
                assert {"401", "403", "503"} <= operation["responses"].keys()


def test_the_page_needs_no_network(description: dict[str, Any]) -> None:
    page = TestClient(app).get("/docs").text
    assert "http://" not in page
    assert "https://" not in page
    for path in description["paths"]:
        assert path in page


def test_the_page_tells_each_field_and_shows_a_reply() -> None:
    page = TestClient(app).get("/docs").text
    assert page.count("<details open>") == 2
    for piece in (
        "<span>Find the tables and columns",
        "<td><code>use_memory</code><td>boolean",
        "&quot;degraded&quot;",
    ):
        assert piece in page
    assert "rel=icon" in page  # else browsers ask for one that is not there


def test_replies_are_held_to_their_forms(services: Services) -> None:
    with CheckedClient(create_app(services, refresh=False)) as client:
        before = CheckedClient.checked
        for path in ("/healthz", "/readyz", "/v1/workspaces", "/v1/workspaces/default/memories"):
            assert client.get(path).status_code == 200
        assert CheckedClient.checked == before + 4


def test_a_reply_that_is_not_as_described_is_found(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.rest.trust.trust_json", lambda _: {"trust": [], "more": 1})
    with (
        CheckedClient(create_app(services, refresh=False)) as client,
        pytest.raises(AssertionError, match="TrustReply"),
    ):
        client.get("/v1/workspaces/default/trust")
