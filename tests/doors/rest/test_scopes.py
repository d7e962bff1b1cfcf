"""Reported faults of the kind: a scope that was empty, missing or set by somebody else (`docs/faults.md`)."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest

from kit.values.spaces import Space, table

ORDERS = table("orders", "what customers bought", total="amount in euros")
HERE = ("", "default ", "no-such-workspace", "*")


@pytest.mark.fault(72)
@pytest.mark.parametrize("field", ["workspace", "workspace_id", "metadata"])
def test_a_body_cannot_set_the_scope(make_space: Callable[[], Space], field: str) -> None:
    mine, yours = make_space(), make_space()
    mine.load(ORDERS)
    value = {"workspace_id": yours.name} if field == "metadata" else yours.name
    bodies: dict[str, dict[str, object]] = {
        "/objects": {"objects": ORDERS, "references": []},
        "/discover": {"intent": "amount"},
        "/memories": {"intent": "x", "objects": ["orders"], "evidence": {"kind": "confirmed"}},
        "/learn": {"intent": "x", "sql": "SELECT total FROM orders"},
    }
    for path, body in bodies.items():
        assert mine.call("POST", path, json={**body, field: value}).status_code in {200, 201, 422}
    assert yours.objects() == []
    assert yours.memories() == []


@pytest.mark.fault(74)
@pytest.mark.parametrize("path", ["/objects", "/memories", "/graph"])
@pytest.mark.parametrize("name", ["workspace", "workspace_id"])
def test_an_empty_scope_in_the_query_is_refused_not_no_filter(space: Space, path: str, name: str) -> None:
    space.load(ORDERS)
    reply = space.call("GET", path, params={name: "", **({"around": "orders"} if path == "/graph" else {})})
    assert reply.status_code in {400, 422}


@pytest.mark.fault(74)
@pytest.mark.parametrize("path", ["/v1/workspaces//objects", "/v1/workspaces/%20/objects", "/v1/workspaces/*/objects"])
def test_an_empty_scope_in_the_path_is_no_scope(client: httpx2.Client, space: Space, path: str) -> None:
    space.load(ORDERS)
    reply = client.get(path)
    assert reply.status_code in {400, 404, 422}
    assert "orders" not in reply.text.replace("/objects", "")


@pytest.mark.fault(89)
def test_what_is_not_there_is_a_problem_with_a_hint(space: Space, client: httpx2.Client) -> None:
    space.load(ORDERS)
    missing = [
        space.call("GET", "/objects/nothing"),
        space.call("GET", "/memories/m_000000000000000000000000"),
        space.call("GET", "/graph", params={"around": "nothing"}),
        client.get("/v1/workspaces/no-such-workspace"),
        client.post("/v1/workspaces/no-such-workspace/discover", json={"intent": "x"}),
    ]
    wrong = [
        space.call("GET", "/objects", params={"kind": "view"}),
        space.call("GET", "/objects", params={"limit": "many"}),
        space.call("GET", "/objects", params={"cursor": "not-a-cursor"}),
        space.call("GET", "/objects", params={"filter": "x"}),
        space.call("POST", "/discover", json={"intent": "x", "rule": "magic"}),
        space.call("POST", "/discover", content=b"{", headers={"content-type": "application/json"}),
    ]
    assert {reply.status_code for reply in missing} == {404}
    assert {reply.status_code for reply in wrong} <= {400, 422}
    for reply in (*missing, *wrong):
        assert reply.headers["content-type"].startswith("application/problem+json")
        body = reply.json()
        assert body["status"] == reply.status_code
        assert body["type"]
        assert body["hint"]
