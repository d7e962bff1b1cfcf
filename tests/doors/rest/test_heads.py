"""HEAD over REST: the head of what GET answers, whatever that is, and never a body."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from api.keys import Key, Keys, digest_of
from api.rest.app import create_app
from api.wiring import Services

BASE = "/v1/workspaces/default"


@pytest.mark.parametrize(
    "path",
    [
        "/healthz",
        "/readyz",
        "/docs",
        "/openapi.json",
        "/v1/workspaces",
        BASE,
        f"{BASE}/objects/loan",
        f"{BASE}/memories",
        f"{BASE}/memories/m_none",
        f"{BASE}/memories?limit=0",
        "/nowhere",
    ],
)
def test_it_has_the_head_of_get(stocked: TestClient, path: str) -> None:
    got, head = stocked.get(path), stocked.head(path)
    assert head.status_code == got.status_code
    assert head.headers == got.headers
    assert (head.content, bool(got.content)) == (b"", True)


def test_what_the_caller_has_is_told(stocked: TestClient) -> None:
    tag = stocked.head(BASE).headers["ETag"]
    assert stocked.head(BASE, headers={"If-None-Match": tag}).status_code == 304


def test_where_there_is_no_get_there_is_no_head(stocked: TestClient) -> None:
    refused = stocked.head(f"{BASE}/discover")
    assert (refused.status_code, refused.headers["Allow"], refused.content) == (405, "POST", b"")
    assert stocked.put(f"{BASE}/memories").headers["Allow"] == "GET, HEAD, POST"


def test_it_is_not_described(stocked: TestClient) -> None:
    assert not [path for path, item in stocked.get("/openapi.json").json()["paths"].items() if "head" in item]


def test_it_asks_for_a_key(services: Services) -> None:
    keys = Keys(keys=(Key(name="reader", sha256=digest_of("r"), role="read", workspaces=None),))
    client = TestClient(create_app(services, keys, refresh=False))
    assert client.head(BASE).status_code == 401
    assert client.head(BASE, headers={"X-API-Key": "r"}).status_code == 200
