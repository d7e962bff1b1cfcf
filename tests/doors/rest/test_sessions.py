"""Sessions over REST: from the first chunk to the last word on it; nothing archived is shown by any route."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from fastapi.testclient import TestClient

from api.keys import Key, Keys, digest_of
from api.rest.app import create_app
from api.wiring import Services

BASE = "/v1/workspaces/default"
S = f"{BASE}/sessions/s"
CHUNKS: list[dict[str, Any]] = [
    {"id": "permit", "text": "Permit P-17 was issued to Amara by the harbour office.", "pinned": False},
    {
        "id": "noise",
        "text": "Lunch is at noon, said Bjorn, and there will be soup for everybody today.",
        "role": "user",
    },
    {"id": "rule/客", "text": "Whoever holds permit P-17 may publish the tariff table.", "premises": ["permit"]},
]


@pytest.fixture
def filled(client: TestClient) -> TestClient:
    assert client.put(S).status_code == 201
    reply = client.post(f"{S}/chunks", json={"chunks": CHUNKS})
    assert reply.status_code == 200, reply.text
    assert (reply.json()["added"], reply.json()["session"]["premises"]) == (3, 1)
    return client


def retain(client: TestClient, **body: Any) -> Any:
    reply = client.post(f"{S}/retain", json={"query": "May she publish the tariff table?", **body})
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_a_session_is_made_read_listed_and_deleted(filled: TestClient) -> None:
    assert filled.put(S).status_code == 200
    shown = filled.get(S)
    assert (shown.json()["chunks"], shown.json()["added"]) == (3, 3)
    assert filled.get(S, headers={"If-None-Match": shown.headers["ETag"]}).status_code == 304
    filled.put(f"{BASE}/sessions/t%2F1")
    page = filled.get(f"{BASE}/sessions", params={"limit": 1}).json()
    assert [it["id"] for it in page["sessions"]] == ["s"]
    rest = filled.get(f"{BASE}/sessions", params={"cursor": page["next_cursor"]}).json()
    assert ([it["id"] for it in rest["sessions"]], rest["next_cursor"]) == (["t/1"], None)
    assert filled.delete(S, headers={"If-Match": '"other"'}).status_code == 412
    assert filled.delete(S).status_code == 204
    gone = filled.get(S)
    assert (gone.status_code, gone.json()["type"]) == (404, "urn:retinue:problem:unknown-session")


def test_kind_role_and_call_id_are_taken_shown_and_checked(filled: TestClient) -> None:
    given = [
        {"id": "ask", "text": "May Amara publish?", "kind": "message", "role": "user"},
        {"id": "call", "text": "permits(Amara)", "kind": "call", "call_id": "c1"},
        {"id": "result", "text": "P-17", "kind": "result", "call_id": "c1"},
    ]
    assert filled.post(f"{S}/chunks", json={"chunks": given}).status_code == 200
    shown = filled.get(f"{S}/chunks").json()["chunks"]
    assert [(it["kind"], it["role"], it["call_id"]) for it in shown] == [
        ("note", None, None),
        ("note", "user", None),
        ("note", None, None),
        ("message", "user", None),
        ("call", "assistant", "c1"),
        ("result", "tool", "c1"),
    ]
    for wrong in ({"kind": "said"}, {"role": "critic"}, {"call_id": ""}, {"call_id": "c2"}, {"kind": None}):
        reply = filled.post(f"{S}/chunks", json={"chunks": [{"id": "x", "text": "x", **wrong}]})
        assert (reply.status_code, filled.get(S).json()["chunks"]) == (422, 6), wrong


def test_a_conclusion_is_kept_with_its_premise_where_both_fit(filled: TestClient) -> None:
    answer = retain(filled, budget_tokens=20, explain=True)
    assert sorted(answer["kept"]) == ["permit", "rule/客"]
    assert answer["reading_order"] == ["permit", "rule/客"]
    assert (answer["evicted"], answer["warnings"], answer["archived"]) == (["noise"], [], None)
    assert answer["tokens"] <= answer["budget_tokens"] == 20
    [traced] = answer["trace"]
    assert (traced["chunk"], traced["reason"]) == ("noise", "no room left")
    assert traced["competitor"] in answer["kept"]
    assert filled.get(S).json()["chunks"] == 3


def test_kept_chunks_come_with_their_texts_unless_ids_are_enough(filled: TestClient) -> None:
    answer = retain(filled, budget_tokens=20)
    assert [it["id"] for it in answer["chunks"]] == answer["reading_order"] == ["permit", "rule/客"]
    assert answer["chunks"][0] == {
        "id": "permit", "kind": "note", "role": None, "call_id": None, "position": 0,
        "tokens": 10, "text": CHUNKS[0]["text"],
    }  # fmt: skip
    assert "chunks" not in retain(filled, budget_tokens=20, ids_only=True)


def test_calls_are_kept_without_their_results_where_that_is_asked_for(filled: TestClient) -> None:
    given = [
        {"id": "call", "text": "tariff(table) publish", "kind": "call", "call_id": "c1"},
        {"id": "result", "text": "one two three four five six", "kind": "result", "call_id": "c1"},
    ]
    filled.post(f"{S}/chunks", json={"chunks": given})
    asked = {"budget_tokens": 5, "policy": "similar"}
    assert not {"call", "result"} & set(retain(filled, **asked)["kept"])
    torn = retain(filled, **asked, pairs=False)
    assert (torn["kept"], torn["policy"]) == (["call"], "similar@pairs=0")


def test_premises_are_read_back_by_pages_of_chunks(filled: TestClient) -> None:
    filled.post(f"{S}/premises", json={"premises": [{"chunk": "noise", "premise": "permit", "grade": "inferred"}]})
    found, cursor = [], None
    for _ in range(3):
        page = filled.get(f"{S}/premises", params={"limit": 1} | ({"cursor": cursor} if cursor else {})).json()
        found += page["premises"]
        cursor = page["next_cursor"]
    assert cursor is None
    assert [(it["chunk"], it["premise"], it["grade"]) for it in found] == [
        ("noise", "permit", "inferred"), ("rule/客", "permit", "declared"),
    ]  # fmt: skip
    assert filled.get(f"{BASE}/sessions/nix/premises").status_code == 404


def test_what_is_live_is_shown_with_its_liveness_and_path(filled: TestClient) -> None:
    reply = filled.get(f"{S}/live", params={"root": "rule/客"})
    assert reply.json() == {
        "session": "s",
        "roots": ["rule/客"],
        "live": [
            {"chunk": "permit", "liveness": 2.0, "hops": 1, "path": ["rule/客", "permit"]},
            {"chunk": "rule/客", "liveness": 1.0, "hops": 0, "path": ["rule/客"]},
        ],
    }
    both = filled.get(f"{S}/live", params={"root": ["rule/客", "noise"], "policy": "multi_hop@lambda=0.5", "depth": 1})
    assert [it["liveness"] for it in both.json()["live"]] == [1.0, 1.0, 0.5]
    asked = filled.get(f"{S}/live", params={"query": "who may publish the tariff table?", "policy": "dsgc_roots@top=1"})
    assert asked.json()["roots"] == ["rule/客"]


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({}, 422),
        ({"root": "permit", "query": "both"}, 422),
        ({"root": "nix"}, 404),
        ({"root": "permit", "policy": "closure"}, 422),
        ({"root": "permit", "depth": 9}, 422),
        ({"root": "permit", "policy": "multi_hop@depth=9"}, 422),
        ({"query": " "}, 422),
    ],
)
def test_a_live_set_that_cannot_be_asked_for_is_refused(
    filled: TestClient, params: dict[str, Any], status: int
) -> None:
    assert filled.get(f"{S}/live", params=params).status_code == status
    assert filled.get(f"{BASE}/sessions/nix/live", params={"root": "permit"}).status_code == 404


def test_a_conclusion_without_its_premise_is_warned_of_or_goes_too(filled: TestClient) -> None:
    [warning] = retain(filled, budget_tokens=10, policy="similar")["warnings"]
    assert (warning["chunk"], warning["premise"]) == ("rule/客", "permit")
    assert retain(filled, budget_tokens=10, policy="similar", orphans="evict")["kept"] == []


def everything_told(client: TestClient) -> str:
    """What every reading route says of the session and its workspace."""
    said = [
        client.get(S).text,
        client.get(f"{BASE}/sessions").text,
        client.get(f"{S}/chunks").text,
        client.get(f"{S}/chunks", params={"archived": "true"}).text,
        client.get(BASE).text,
        json.dumps(retain(client, budget_tokens=1_000, explain=True), ensure_ascii=False),
        client.post(f"{BASE}/discover", json={"intent": "soup at noon with Bjorn"}).text,
        client.get(f"{BASE}/memories").text,
        client.get(f"{BASE}/objects").text,
        client.get(f"{BASE}/graph", params={"around": "noise"}).text,
        client.get("/metrics").text,
    ]
    return "\n".join(said)


def test_an_archived_text_is_out_of_reach_of_every_reading_route(filled: TestClient) -> None:
    assert "Lunch is at noon" in everything_told(filled)
    applied = retain(filled, budget_tokens=20, apply=True, tombstones=True)
    assert applied["archived"] == ["noise"]
    assert "Lunch" not in everything_told(filled)
    again = filled.post(f"{S}/chunks", json={"chunks": CHUNKS})
    assert again.json()["archived"] == ["noise"]
    assert "Lunch" not in again.text + everything_told(filled)
    [shown] = filled.get(f"{S}/chunks", params={"archived": "true"}).json()["chunks"]
    assert (shown["id"], shown["position"], "text" in shown) == ("noise", 1, False)
    restored = filled.post(f"{S}/chunks/noise/restore")
    assert (restored.status_code, restored.json()["session"]["archived"]) == (200, 0)
    assert [it["id"] for it in filled.get(f"{S}/chunks").json()["chunks"]] == ["permit", "noise", "rule/客"]


@pytest.mark.fault(2)
def test_a_purged_chunk_does_not_come_back_when_a_log_is_replayed(filled: TestClient) -> None:
    retain(filled, budget_tokens=20, apply=True, tombstones=True)
    assert filled.delete(f"{S}/chunks/noise").status_code == 204
    assert filled.delete(f"{S}/chunks/noise").status_code == 404
    assert filled.post(f"{S}/chunks/noise/restore").status_code == 404
    again = filled.post(f"{S}/chunks", json={"chunks": CHUNKS}).json()
    assert (again["buried"], again["added"]) == (["noise"], 0)
    assert "Lunch" not in everything_told(filled)


def test_a_premise_that_points_nowhere_is_never_200(filled: TestClient) -> None:
    wrong = filled.post(f"{S}/premises", json={"premises": [{"chunk": "permit", "premise": "nix"}]})
    assert (wrong.status_code, wrong.json()["type"]) == (404, "urn:retinue:problem:unknown-chunks")
    assert "'nix'" in wrong.json()["detail"]
    lost = filled.post(f"{S}/chunks", json={"chunks": [{"id": "new", "text": "new", "premises": ["nix"]}]})
    assert lost.status_code == 404
    assert filled.get(S).json()["chunks"] == 3  # all or none
    good = filled.post(f"{S}/premises", json={"premises": [{"chunk": "noise", "premise": "noise"}]})
    assert (good.status_code, good.json()["added"]) == (200, 0)


def test_another_text_under_a_known_id_is_a_conflict(filled: TestClient) -> None:
    reply = filled.post(f"{S}/chunks", json={"chunks": [{"id": "permit", "text": "Permit P-18"}]})
    assert (reply.status_code, "'permit'" in reply.json()["detail"]) == (409, True)


@pytest.mark.parametrize("budget", ["-1", '"12"', "NaN", "Infinity", "true", "null", "-1e400"])
def test_a_budget_that_is_none_is_refused(filled: TestClient, budget: str) -> None:
    body = f'{{"query": "publish", "budget_tokens": {budget}}}'
    reply = filled.post(f"{S}/retain", content=body, headers={"content-type": "application/json"})
    wanted = 200 if budget == "Infinity" else 422  # as much as one likes is a budget
    assert reply.status_code == wanted, reply.text


def test_a_budget_of_zero_keeps_nothing_and_a_chunk_larger_than_it_goes(filled: TestClient) -> None:
    answer = retain(filled, budget_tokens=0, explain=True)
    assert (answer["kept"], answer["tokens"], len(answer["evicted"])) == ([], 0, 3)
    small = retain(filled, budget_tokens=9, explain=True)
    assert {it["reason"] for it in small["trace"] if it["chunk"] == "noise"} == {"larger than the budget"}


@pytest.mark.parametrize(
    "body",
    [
        {"query": "", "budget_tokens": 5},
        {"query": " \n", "budget_tokens": 5},
        {"query": "a\x00b", "budget_tokens": 5},
        {"query": "q", "budget_tokens": 5, "policy": "best"},
        {"query": "q", "budget_tokens": 5, "policy": "dsgc@lambda=x"},
        {"query": "q", "budget_tokens": 5, "encoder": "magic"},
        {"query": "q", "budget_tokens": 5, "tombstones": True},
        {"query": "q", "budget_tokens": 5, "workspace": "other"},
        {"query": "q"},
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(filled: TestClient, body: dict[str, Any]) -> None:
    assert filled.post(f"{S}/retain", json=body).status_code == 422


@pytest.mark.parametrize(
    "chunk",
    [
        {"id": "", "text": "x"},
        {"id": "x", "text": ""},
        {"id": "x", "text": " \t\n"},
        {"id": "x", "text": "a\x00b"},
        {"id": "x\x00", "text": "a"},
        {"id": "x", "text": "a\ud800"},
        {"id": "x", "text": "a", "tokens": 0},
        {"id": "x", "text": "a", "tokens": 1.5},
        {"id": "x", "text": "a", "importance": 1.5},
        {"id": "x", "text": "a", "session": "other"},
        {"id": "x"},
    ],
)
def test_a_chunk_that_cannot_be_kept_is_refused_and_none_is_added(filled: TestClient, chunk: dict[str, Any]) -> None:
    body = json.dumps({"chunks": [{"id": "fine", "text": "fine"}, chunk]})
    reply = filled.post(f"{S}/chunks", content=body, headers={"content-type": "application/json"})
    assert reply.status_code == 422, reply.text
    assert filled.get(S).json()["chunks"] == 3


def test_an_empty_list_adds_nothing_and_an_empty_session_keeps_nothing(client: TestClient) -> None:
    client.put(S)
    assert client.post(f"{S}/chunks", json={"chunks": []}).json()["added"] == 0
    answer = retain(client, budget_tokens=100, explain=True)
    assert (answer["kept"], answer["evicted"], answer["warnings"], answer["trace"]) == ([], [], [], [])


def test_a_query_of_stop_words_and_equal_texts_go_by_the_order_of_ingestion(client: TestClient) -> None:
    client.put(S)
    same = [{"id": key, "text": "the same words twice"} for key in "zya"]
    client.post(f"{S}/chunks", json={"chunks": same})
    for query in ("the of and", "same words"):
        answer = client.post(f"{S}/retain", json={"query": query, "budget_tokens": 8}).json()
        assert answer["kept"] == ["z", "y"]


def test_more_chunks_than_a_body_takes_is_said_so(services: Services) -> None:
    with TestClient(create_app(services, refresh=False, body_limit_bytes=2_000)) as client:
        client.put(S)
        many = [{"id": f"c{number}", "text": "x" * 100} for number in range(20)]
        refused = client.post(f"{S}/chunks", json={"chunks": many})
        assert (refused.status_code, refused.json()["type"]) == (413, "urn:retinue:problem:too-large")
        assert refused.json()["hint"].startswith("Send it in parts: ")
        assert client.get(S).json()["chunks"] == 0
    with TestClient(create_app(services, refresh=False)) as client:
        many = [{"id": f"c{number}", "text": "x"} for number in range(100_001)]
        refused = client.post(f"{S}/chunks", json={"chunks": many})
        assert refused.status_code == 422
        assert refused.json()["hint"].startswith("Send them in parts of at most 100,000: ")
        assert client.post(f"{S}/retain", json={"query": "x"}).json()["hint"].startswith("See /docs")
        assert client.post(f"{S}/chunks", json={"chunks": many[:5_000]}).json()["added"] == 5_000


def test_a_reading_key_may_ask_and_not_apply(services: Services) -> None:
    roles: tuple[Literal["read", "write"], ...] = ("read", "write")
    keys = Keys(keys=tuple(Key(name=r, sha256=digest_of(r), role=r, workspaces=None) for r in roles))
    with TestClient(create_app(services, keys, refresh=False)) as client:
        reading, writing = {"X-API-Key": "read"}, {"X-API-Key": "write"}
        assert client.put(S, headers=reading).status_code == 403
        assert client.put(S, headers=writing).status_code == 201
        client.post(f"{S}/chunks", json={"chunks": CHUNKS}, headers=writing)
        asked = {"query": "publish", "budget_tokens": 10}
        assert client.post(f"{S}/retain", json=asked, headers=reading).status_code == 200
        assert client.post(f"{S}/retain", json={**asked, "apply": True}, headers=reading).status_code == 403
        assert client.post(f"{S}/chunks/permit/restore", headers=reading).status_code == 403
        assert client.delete(f"{S}/chunks/permit", headers=reading).status_code == 403
        assert client.get(f"{S}/chunks", headers=reading).status_code == 200
        assert client.post(f"{S}/retain", json={**asked, "apply": True}, headers=writing).status_code == 200


def test_a_cursor_of_another_listing_is_refused(filled: TestClient) -> None:
    cursor = filled.get(f"{S}/chunks", params={"limit": 1}).json()["next_cursor"]
    assert [it["id"] for it in filled.get(f"{S}/chunks", params={"cursor": cursor}).json()["chunks"]] == [
        "noise",
        "rule/客",
    ]
    assert filled.get(f"{S}/chunks", params={"cursor": cursor, "archived": "true"}).status_code == 422
    assert filled.get(f"{BASE}/sessions", params={"cursor": cursor}).status_code == 422


def test_what_is_believed_is_noted_in_the_graph_after_the_answer(filled: TestClient, services: Services) -> None:
    version = filled.get(S).json()["version"]
    retain(filled, budget_tokens=20)
    [premise] = services.store.list_premises("default", "s", ["rule/客"])
    assert premise.belief is not None
    assert 0.5 < premise.belief <= 1
    assert premise.reasons == (
        "for: it defines a term that the chunk uses",
        "against: both say 'permit', as 2 of 3 texts do",
    )
    assert filled.get(S).json()["version"] == version
