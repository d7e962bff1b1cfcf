"""Ids in a path: any text but control characters, percent-encoded in one segment."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from api.rest.middleware.paths import IdConvertor, segmented

BASE = "/v1/workspaces/default"
IDS = [
    "a/b",
    "/",
    "a%2Fb",
    "%",
    "a b",
    "a.b",
    "..",
    ".",
    "a?b#c",
    "表.列",
    "😀",
    "é",
    "a+b",
    '"a.b".c',
    "a\\b",
    "a;b=c",
    "delete",
]


@pytest.mark.parametrize("object_id", IDS)
def test_an_object_is_found_by_its_id(client: TestClient, object_id: str) -> None:
    body = {"objects": [{"id": object_id, "kind": "table", "name": "t"}, {"id": "other", "kind": "table", "name": "o"}]}
    imported = client.post(f"{BASE}/objects", json=body).json()
    assert imported["imported"] == 2, imported
    # dots are encoded too: clients take a bare `..` for a step up
    path = f"{BASE}/objects/{quote(object_id, safe='').replace('.', '%2E')}"
    assert client.get(path).json()["id"] == object_id
    around = client.get(f"{BASE}/graph", params={"around": object_id, "depth": 1})
    assert around.status_code == 200
    assert client.delete(path).json()["removed"] == [object_id]
    assert client.get(path).status_code == 404
    assert client.get(f"{BASE}/objects/other").status_code == 200


@pytest.mark.parametrize("segment", ["%00", "a%0Ab", "%7F", "%FF", "%C3", "%ED%A0%80"])
def test_what_is_no_text_is_refused(client: TestClient, segment: str) -> None:
    reply = client.get(f"{BASE}/objects/{segment}")
    assert reply.status_code == 422
    assert reply.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("object_id", IDS)
def test_segments_read_back(object_id: str) -> None:
    convertor = IdConvertor()
    path = segmented(b"/x/" + quote(object_id, safe="").encode() + b"/y")
    assert path.count("/") == 3
    assert convertor.convert(path.split("/")[2]) == object_id
    assert convertor.to_string(object_id) == path.split("/")[2]
