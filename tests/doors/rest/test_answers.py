"""Discovery, learning, the graph and the measures over REST; faults of the machine that show as such."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.rest.app import create_app
from api.settings import read_settings
from api.wiring import Services, open_services
from graph.errors import StoreUnavailable

BASE = "/v1/workspaces/default"
LESSON = {
    "intent": "loan sums by district",
    "sql": "SELECT a.A4, SUM(amount) FROM loan JOIN account a ON a.id = account_id WHERE amount > 4711 GROUP BY 1",
    "dialect": "sqlite",
}


def discover(client: TestClient, **body: Any) -> dict[str, Any]:
    reply = client.post(f"{BASE}/discover", json={"intent": "sums lent in a district", **body})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def test_parts_sum_to_scores_and_shares_to_the_memory_part(stocked: TestClient) -> None:
    learnt = stocked.post(f"{BASE}/learn", json=LESSON).json()
    assert learnt["state"] == "confirmed"
    assert learnt["unresolved"] == []
    answer = discover(stocked)
    assert answer["results"]
    for hit in answer["results"]:
        assert hit["score"] == pytest.approx(hit["parts"]["registry"] + hit["parts"]["memory"], abs=1e-9)
        assert sum(voice["share"] for voice in hit["memories"]) == pytest.approx(hit["parts"]["memory"], abs=1e-9)
    assert learnt["memory"] in {voice["id"] for hit in answer["results"] for voice in hit["memories"]}
    without = discover(stocked, use_memory=False)
    assert all(hit["parts"]["memory"] == 0 for hit in without["results"])


def test_literals_are_masked_unless_asked_otherwise(stocked: TestClient) -> None:
    memory = stocked.post(f"{BASE}/learn", json=LESSON).json()["memory"]
    assert "4711" not in stocked.get(f"{BASE}/memories/{memory}").text
    other = stocked.post(f"{BASE}/learn", json={**LESSON, "intent": "kept", "keep_sql": True}).json()["memory"]
    assert "4711" in stocked.get(f"{BASE}/memories/{other}").text


def test_a_failed_statement_makes_no_memory(stocked: TestClient) -> None:
    learnt = stocked.post(f"{BASE}/learn", json={**LESSON, "succeeded": False}).json()
    assert (learnt["memory"], learnt["state"]) == (None, None)
    assert stocked.get(f"{BASE}/memories").json()["memories"] == []


def test_an_outcome_may_name_its_discovery(stocked: TestClient) -> None:
    answer = discover(stocked)
    memory = stocked.post(f"{BASE}/learn", json={**LESSON, "discovery": answer["discovery"]}).json()["memory"]
    evidence = stocked.get(f"{BASE}/memories/{memory}").json()["evidence"]
    assert evidence[0]["discovery"] == answer["discovery"]


def test_kinds_and_limits_hold(stocked: TestClient) -> None:
    assert {hit["kind"] for hit in discover(stocked, kinds=["table"])["results"]} == {"table"}
    assert len(discover(stocked, limit=1)["results"]) == 1
    bodies: tuple[dict[str, object], ...] = (
        {"limit": 0},
        {"limit": 10_000},
        {"limit": True},
        {"kinds": []},
        {"kinds": ["view"]},
        {"rule": "magic"},
    )
    for body in bodies:
        assert stocked.post(f"{BASE}/discover", json={"intent": "loans", **body}).status_code == 422, body


def test_an_exact_name_comes_first(stocked: TestClient) -> None:
    assert discover(stocked, intent="A4")["results"][0]["id"] == "account.A4"


def test_the_limit_holds_for_a_common_word(client: TestClient) -> None:
    objects = [{"id": f"t{n}", "kind": "table", "name": f"t{n}", "description": "a common word"} for n in range(3_000)]
    assert client.post(f"{BASE}/objects", json={"objects": objects}).json()["imported"] == 3_000
    assert len(discover(client, intent="common word")["results"]) == 10
    assert len(client.get(f"{BASE}/objects?q=common").json()["objects"]) == 100
    for path in ("objects", "memories"):
        for limit in ("0", "1001", "-1", "x", "1e3", ""):
            assert client.get(f"{BASE}/{path}?limit={limit}").status_code == 422


def test_a_filter_finds_words_in_any_case_and_accent(client: TestClient) -> None:
    objects = [
        {"id": "ú", "kind": "table", "name": "Účty", "description": "Kontostände"},
        {"id": "b", "kind": "table", "name": "b"},
    ]
    client.post(f"{BASE}/objects", json={"objects": objects})
    for q in ("ucty", "KONTOSTANDE"):
        assert [item["id"] for item in client.get(f"{BASE}/objects", params={"q": q}).json()["objects"]] == ["ú"]


def test_what_a_reference_names_must_be_there(client: TestClient) -> None:
    body = {"objects": [{"id": "t", "kind": "table", "name": "t"}], "references": [["t.a", "u.b"]]}
    report = client.post(f"{BASE}/objects", json=body).json()
    assert report["imported"] == 1
    assert len(report["rejected"]) == 1


def test_the_graph_around_a_memory(stocked: TestClient) -> None:
    memory = stocked.post(f"{BASE}/learn", json=LESSON).json()["memory"]
    graph = stocked.get(f"{BASE}/graph?around={memory}&depth=1").json()
    assert {label for node in graph["nodes"] for label in node["labels"]} >= {"Memory", "Intent", "DataObject"}
    assert {"FOR", "FOUND"} <= {item["type"] for item in graph["relationships"]}
    assert "embedding" not in json.dumps(graph)
    assert stocked.get(f"{BASE}/graph?around={memory}&depth=9").status_code == 422
    assert stocked.get(f"{BASE}/graph?around=").status_code == 422
    assert stocked.get(f"{BASE}/graph").status_code == 422


def test_a_body_that_is_too_large_is_refused(services: Services) -> None:
    client = TestClient(create_app(services, refresh=False, body_limit_bytes=1_000))
    body = json.dumps({"intent": "x" * 2_000}).encode()
    headers = {"Content-Type": "application/json"}
    for content in (body, iter([body[:900], body[900:]])):
        reply = client.post(f"{BASE}/discover", content=content, headers=headers)
        assert reply.status_code == 413
        assert reply.json()["type"] == "urn:retinue:problem:too-large"


@pytest.mark.parametrize(
    "content",
    [b"{", b"", b"null", b"[]", b'"x"', b"\xff", b"[" * 100_000, b'{"intent": "\\ud800"}', b'{"intent": NaN}'],
)
def test_a_body_that_is_no_request_is_refused(client: TestClient, content: bytes) -> None:
    reply = client.post(f"{BASE}/discover", content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code == 422
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.json()["hint"]


def test_a_broken_store_is_no_empty_answer(
    stocked: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StoreUnavailable("the evidence", found="the index is broken", hint="Ask again later")

    monkeypatch.setattr(services.store, "evidence", broken)
    reply = stocked.post(f"{BASE}/discover", json={"intent": "loans"})
    assert reply.status_code == 503
    assert reply.headers["Retry-After"].isdigit()
    assert reply.json()["type"] == "urn:retinue:problem:store-unavailable"


def test_a_fault_of_ours_tells_nothing(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("s3cret")

    monkeypatch.setattr(services.store, "list_workspaces", broken)
    client = TestClient(create_app(services, refresh=False), raise_server_exceptions=False)
    reply = client.get("/v1/workspaces")
    assert reply.status_code == 500
    assert "s3cret" not in reply.text
    assert reply.headers["Content-Type"] == "application/problem+json"


def test_a_record_that_fails_fails_no_answer(
    stocked: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StoreUnavailable("the record", found="no", hint="Later")

    monkeypatch.setattr(services.store, "record_discovery", broken)
    assert discover(stocked)["results"]


def test_measures_hold_no_name(stocked: TestClient) -> None:
    stocked.get(f"{BASE}/objects/loan.amount")
    stocked.get("/v1/workspaces/some-name-of-mine")
    stocked.get("/nowhere/at/all")
    stocked.request("BREW", "/v1/workspaces")
    discover(stocked, intent="?!")
    text = stocked.get("/metrics").text
    assert 'route="/v1/workspaces/{workspace}/objects/{object_id}",status="200"' in text
    assert 'method="other"' in text
    for name in ("loan", "default", "some-name", "nowhere", "BREW"):
        assert name not in text
    assert "retinue_discoveries_degraded_total 1.0" in text


def test_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").json()["ready"] is True


def test_whoever_asks_for_health_does_not_learn_where_the_store_is(tmp_path: Path) -> None:
    with open_services(read_settings({}, store=f"sqlite:///{tmp_path / 'g.db'}", encoder="none")) as services:
        with TestClient(create_app(services, refresh=False)) as client:
            ready = client.get("/readyz")
            assert (ready.json()["store"], ready.json()["ready"]) == ("sqlite", True)
            services.store.close()
            closed = client.get("/readyz")
        assert closed.status_code == 503
        assert str(tmp_path) not in ready.text + closed.text


def test_scores_are_numbers(stocked: TestClient) -> None:
    numbers = [hit["score"] for hit in discover(stocked, intent="loan " * 500)["results"]]
    assert all(math.isfinite(number) for number in numbers)


def test_a_statement_of_unknown_tables_is_refused(stocked: TestClient) -> None:
    reply = stocked.post(f"{BASE}/learn", json={"intent": "x", "sql": "SELECT a FROM nowhere"})
    assert (reply.status_code, reply.json()["type"]) == (422, "urn:retinue:problem:invalid-input")
    assert "nowhere" in reply.json()["detail"]


def test_a_body_that_is_not_called_json_is_told_how(stocked: TestClient) -> None:
    reply = stocked.post(f"{BASE}/discover", content=b'{"intent": "loans"}')
    assert reply.status_code == 422
    assert "content-type: application/json" in reply.json()["hint"]
    assert "/docs" in stocked.post(f"{BASE}/discover", json={"intent": 3}).json()["hint"]


def test_an_answer_says_how_its_tables_join_where_it_is_asked(stocked: TestClient) -> None:
    asked = {"intent": "amount by district code"}
    assert "join" not in stocked.post(f"{BASE}/discover", json=asked).json()
    told = stocked.post(f"{BASE}/discover", json=asked | {"join": True}).json()["join"]
    assert [step["references"] for step in told["steps"]] == [[["loan.account_id", "account.id"]]]
    assert {told["steps"][0]["from"], told["steps"][0]["to"]} == {"loan", "account"}
    assert set(told) == {"root", "steps", "added", "unconnected"}
