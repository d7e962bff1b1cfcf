"""Workspaces over REST: idempotent creation, conditions, and names that mean nothing else."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient


def test_creation_is_idempotent(client: TestClient) -> None:
    first = client.put("/v1/workspaces/lab")
    second = client.put("/v1/workspaces/lab")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    names = [item["name"] for item in client.get("/v1/workspaces").json()["workspaces"]]
    assert names == ["default", "lab"]


def test_a_name_given_again_is_another_workspace(client: TestClient) -> None:
    first = client.put("/v1/workspaces/lab").json()
    assert client.delete("/v1/workspaces/lab").status_code == 204
    assert client.get("/v1/workspaces/lab").status_code == 404
    assert client.put("/v1/workspaces/lab").json()["incarnation"] != first["incarnation"]


def test_the_default_workspace_is_always_there(stocked: TestClient) -> None:
    assert stocked.delete("/v1/workspaces/default").status_code == 204
    assert stocked.get("/v1/workspaces/default").json()["tables"] == 0


def test_what_is_current_is_not_sent_again(stocked: TestClient) -> None:
    tag = stocked.get("/v1/workspaces/default").headers["ETag"]
    assert stocked.get("/v1/workspaces/default", headers={"If-None-Match": tag}).status_code == 304
    stocked.delete("/v1/workspaces/default/objects/loan.amount")
    assert stocked.get("/v1/workspaces/default", headers={"If-None-Match": tag}).status_code == 200


def test_a_stale_delete_is_refused(stocked: TestClient) -> None:
    stocked.put("/v1/workspaces/lab")
    tag = stocked.get("/v1/workspaces/lab").headers["ETag"]
    objects = {"objects": [{"id": "t", "kind": "table", "name": "t"}]}
    stocked.post("/v1/workspaces/lab/objects", json=objects)
    refused = stocked.delete("/v1/workspaces/lab", headers={"If-Match": tag})
    assert refused.status_code == 412
    assert refused.json()["type"] == "urn:retinue:problem:stale-revision"
    assert stocked.get("/v1/workspaces/lab").json()["tables"] == 1


@pytest.mark.parametrize("name", ["Lab", "a%20b", "a%2Fb", "..", "%2E%2E", "ä", "a" * 64, "-a"])
def test_what_is_no_name_is_refused(client: TestClient, name: str) -> None:
    assert client.put(f"/v1/workspaces/{name}").status_code in (404, 422)
    assert len(client.get("/v1/workspaces").json()["workspaces"]) == 1


@pytest.mark.parametrize(
    "path", ["/v1/workspaces/", "/v1/workspaces//objects", "/v1/workspaces//memories", "/v1/workspaces/default/"]
)
def test_an_empty_segment_is_not_all_of_them(client: TestClient, path: str) -> None:
    for method in ("GET", "DELETE", "PUT"):
        reply = client.request(method, path, follow_redirects=False)
        assert reply.status_code == 404
        assert reply.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("query", ["workspace=", "workspace=lab", "limit=3", "x"])
def test_an_unknown_query_parameter_is_refused(client: TestClient, query: str) -> None:
    reply = client.get(f"/v1/workspaces?{query}")
    assert reply.status_code == 422
    assert reply.json()["hint"]


def test_a_body_that_names_another_scope_is_refused(client: TestClient) -> None:
    client.put("/v1/workspaces/other")
    for body in ({"workspace_id": "other"}, {"metadata": {"workspace_id": "other"}}):
        assert client.put("/v1/workspaces/lab", json=body).status_code == 422
        reply = client.post("/v1/workspaces/default/discover", json={"intent": "loans", **body})
        assert reply.status_code == 422
    assert "path" in client.post("/v1/workspaces/default/discover", json={"intent": "x", "workspace": "other"}).text
