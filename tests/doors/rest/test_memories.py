"""Memories over REST: remembered once, judged, edited under conditions, forgotten one by one and many at a time."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from api.wiring import Services
from graph.errors import StoreUnavailable

BASE = "/v1/workspaces/default"
BODY = {"intent": "loan sums by district", "objects": ["loan.amount", "account.A4"]}


def remember(client: TestClient, **changes: object) -> dict[str, object]:
    reply = client.post(f"{BASE}/memories", json={**BODY, **changes})
    assert reply.status_code in (200, 201), reply.text
    return dict(reply.json())


def test_the_same_intent_with_the_same_objects_is_one_memory(stocked: TestClient) -> None:
    first = stocked.post(f"{BASE}/memories", json=BODY)
    second = stocked.post(f"{BASE}/memories", json={**BODY, "objects": BODY["objects"][::-1]})
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.headers["Location"] == f"{BASE}/memories/{first.json()['id']}"
    assert second.json()["id"] == first.json()["id"]
    assert second.json()["times"] == 2
    assert first.json()["state"] == "proposed"


def test_evidence_confirms(stocked: TestClient) -> None:
    memory = remember(stocked, evidence={"kind": "annotated", "note": "by the risk team"})
    assert memory["state"] == "confirmed"
    assert memory["evidence"][0]["note"] == "by the risk team"  # type: ignore[index]


def test_objects_that_are_not_there_are_refused(stocked: TestClient) -> None:
    reply = stocked.post(f"{BASE}/memories", json={**BODY, "objects": ["loan.amount", "nope"]})
    assert reply.status_code == 422
    assert reply.json()["type"] == "urn:retinue:problem:unknown-objects"
    assert "nope" in reply.json()["detail"]
    assert stocked.get(f"{BASE}/memories").json()["memories"] == []


def test_feedback_moves_the_state(stocked: TestClient) -> None:
    path = f"{BASE}/memories/{remember(stocked)['id']}/feedback"
    assert stocked.post(path, json={"outcome": "success"}).json()["state"] == "confirmed"
    refuted = stocked.post(path, json={"outcome": "failure", "note": "wrong district"}).json()
    assert refuted["state"] == "refuted"
    assert [item["outcome"] for item in refuted["evidence"]] == ["success", "failure"]


def test_two_edits_from_the_same_state_do_not_both_go_in(stocked: TestClient) -> None:
    path = f"{BASE}/memories/{remember(stocked)['id']}"
    tag = stocked.get(path).headers["ETag"]
    assert stocked.post(f"{path}/feedback", json={"outcome": "success"}, headers={"If-Match": tag}).status_code == 200
    late = stocked.patch(path, json={"intent": "another"}, headers={"If-Match": tag})
    assert late.status_code == 412
    assert "again" in late.json()["hint"]
    assert stocked.delete(path, headers={"If-Match": tag}).status_code == 412
    assert stocked.delete(path, headers={"If-Match": stocked.get(path).headers["ETag"]}).status_code == 204
    assert stocked.delete(path).status_code == 404


def test_a_persons_word_moves_the_state_under_the_same_id(stocked: TestClient) -> None:
    path = f"{BASE}/memories/{remember(stocked)['id']}"
    refuted = stocked.patch(path, json={"state": "refuted", "note": "wrong district"})
    assert (refuted.status_code, refuted.json()["state"]) == (200, "refuted")
    assert refuted.json()["evidence"][-1]["note"] == "wrong district"
    again = stocked.patch(path, json={"state": "confirmed"}, headers={"If-Match": refuted.headers["ETag"]})
    assert again.json()["state"] == "confirmed"
    late = stocked.patch(path, json={"state": "refuted"}, headers={"If-Match": refuted.headers["ETag"]})
    assert late.status_code == 412
    assert stocked.patch(path, json={"state": "refuted", "intent": "another"}).status_code == 422
    assert stocked.patch(path, json={"state": "proposed"}).status_code == 422


def test_a_statement_given_as_evidence_is_kept_without_its_literals(stocked: TestClient) -> None:
    evidence = {"kind": "executed_sql", "sql": "SELECT amount FROM loan WHERE status = 'secret'", "dialect": "sqlite"}
    body = {"intent": "loans of a status", "objects": ["loan", "loan.amount"], "evidence": evidence}
    made = stocked.post(f"{BASE}/memories", json=body)
    assert made.status_code == 201
    assert "amount" in made.json()["statement"]
    assert "secret" not in made.text
    body["evidence"] = {"kind": "executed_sql", "sql": "SELECT FROM WHERE ("}
    assert stocked.post(f"{BASE}/memories", json=body).status_code == 422


def test_an_edit_tells_the_new_id(stocked: TestClient) -> None:
    memory = remember(stocked)
    edited = stocked.patch(f"{BASE}/memories/{memory['id']}", json={"objects": ["loan"]})
    assert edited.status_code == 200
    assert edited.json()["id"] != memory["id"]
    assert edited.headers["Content-Location"] == f"{BASE}/memories/{edited.json()['id']}"
    assert stocked.get(f"{BASE}/memories/{memory['id']}").status_code == 404
    assert stocked.patch(f"{BASE}/memories/{edited.json()['id']}", json={}).status_code == 422


def test_what_the_caller_has_is_not_sent_again(stocked: TestClient) -> None:
    path = f"{BASE}/memories/{remember(stocked)['id']}"
    tag = stocked.get(path).headers["ETag"]
    same = stocked.get(path, headers={"If-None-Match": f'"x", {tag}'})
    assert (same.status_code, same.content) == (304, b"")
    # the objects it needs are part of what is seen: the tag changes with them, though the memory itself was not written
    stocked.delete(f"{BASE}/objects/loan.amount")
    seen = stocked.get(path, headers={"If-None-Match": tag})
    assert seen.status_code == 200
    assert seen.json()["suspended"]


def test_pages_neither_skip_nor_repeat_while_others_write(stocked: TestClient) -> None:
    before = {remember(stocked, intent=f"question {n}")["id"] for n in range(30)}
    seen: list[str] = []
    cursor: str | None = None
    for page in range(20):
        query = f"limit=4&cursor={cursor}" if cursor else "limit=4"
        reply = stocked.get(f"{BASE}/memories?{query}").json()
        seen += [item["id"] for item in reply["memories"]]
        remember(stocked, intent=f"meanwhile {page}")
        cursor = reply["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen))
    assert before <= set(seen)


@pytest.mark.parametrize("other", ["state=refuted", "suspended=true", "intent=x"])
def test_a_cursor_is_bound_to_its_listing(stocked: TestClient, other: str) -> None:
    for n in range(3):
        remember(stocked, intent=f"question {n}")
    cursor = stocked.get(f"{BASE}/memories?limit=2").json()["next_cursor"]
    assert stocked.get(f"{BASE}/memories?limit=1&cursor={cursor}").status_code == 200
    assert stocked.get(f"{BASE}/memories?cursor={cursor}&{other}").status_code == 422
    assert stocked.get(f"{BASE}/objects?cursor={cursor}").status_code == 422
    assert stocked.get(f"{BASE}/memories?cursor=bm8").status_code == 422


def test_many_are_forgotten_with_a_report_by_id(
    stocked: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [str(remember(stocked, intent=f"question {n}")["id"]) for n in range(10)]
    forget, third = services.store.forget_memories, ids[2]

    def failing(workspace: str, given: list[str], *, revision: int | None = None) -> tuple[str, ...]:
        if third in given:
            raise StoreUnavailable("forgetting", found="the machine under it broke", hint="Try again")
        return forget(workspace, given, revision=revision)

    with monkeypatch.context() as broken:
        broken.setattr(services.store, "forget_memories", failing)
        report = stocked.post(f"{BASE}/memories/delete", json={"ids": [*ids, "m_none"]}).json()
    statuses = {item["id"]: item["status"] for item in report["memories"]}
    assert statuses == {**dict.fromkeys(ids, "forgotten"), third: "error", "m_none": "missing"}
    assert stocked.post(f"{BASE}/memories/delete", json={"ids": [third]}).json()["forgotten"] == 1
    assert stocked.get(f"{BASE}/memories").json()["memories"] == []


def test_all_are_forgotten_beyond_one_page(stocked: TestClient, services: Services) -> None:
    for n in range(620):
        services.memories.remember("default", f"question {n}", ["loan"])
    assert stocked.post(f"{BASE}/memories/delete", json={"all": True}).json()["forgotten"] == 620
    assert stocked.get("/v1/workspaces/default").json()["memories"] == 0


UNMEANT = ({"all": 1}, {"all": 1.0}, {"all": "true"}, {"ids": [""]}, {"ids": ["a" * 1_001]}, {"ids": [1]})


@pytest.mark.parametrize(
    "body", [{}, {"ids": []}, {"all": False}, {"ids": ["a"], "all": True}, {"ids": None}, *UNMEANT]
)
def test_forgetting_names_what_it_means(stocked: TestClient, body: dict[str, object]) -> None:
    remember(stocked)
    assert stocked.post(f"{BASE}/memories/delete", json=body).status_code == 422
    assert stocked.get("/v1/workspaces/default").json()["memories"] == 1


def test_half_a_surrogate_pair_is_no_id(stocked: TestClient) -> None:
    content = rb'{"ids": ["\ud800"]}'
    reply = stocked.post(f"{BASE}/memories/delete", content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code == 422
    assert reply.json()["errors"]


def test_a_dialect_that_nobody_reads_is_refused(stocked: TestClient) -> None:
    evidence = {"kind": "executed_sql", "dialect": "klingon"}
    assert stocked.post(f"{BASE}/memories", json={**BODY, "evidence": evidence}).status_code == 422
    assert stocked.post(f"{BASE}/memories", json={**BODY, "evidence": {**evidence, "dialect": "SQLite"}}).is_success


@pytest.mark.parametrize("discovery", ["d\x00", "d\n", "\x9b", "d" * 2_001])
def test_the_id_of_a_discovery_is_text_that_can_be_kept(stocked: TestClient, discovery: str) -> None:
    for sql in ("SELECT amount FROM loan", "SELECT nothing FROM nowhere"):
        body = {"intent": "loans", "sql": sql, "discovery": discovery}
        assert stocked.post(f"{BASE}/learn", json=body).status_code == 422
    assert stocked.get("/v1/workspaces/default").json()["memories"] == 0


@pytest.mark.parametrize("intent", ["", "   ", "\n\t", None, 3, [], "a" * 10_001])
def test_an_intent_that_says_nothing_is_refused(stocked: TestClient, intent: object) -> None:
    assert stocked.post(f"{BASE}/memories", json={**BODY, "intent": intent}).status_code == 422
    assert stocked.post(f"{BASE}/discover", json={"intent": intent}).status_code == 422
    assert stocked.post(f"{BASE}/learn", json={"intent": intent, "sql": "SELECT amount FROM loan"}).status_code == 422
    assert stocked.get("/v1/workspaces/default").json()["memories"] == 0


def test_an_outcome_of_an_answer_earns_trust_that_is_shown_and_forgotten(stocked: TestClient) -> None:
    remember(stocked, evidence={"kind": "annotated"})
    assert stocked.get(f"{BASE}/trust").json() == {"trust": []}
    asked = stocked.post(f"{BASE}/discover", json={"intent": "sums lent, by district"}).json()
    told = {"kind": "confirmed", "discovery": asked["discovery"]}
    for _ in range(2):  # the outcome of one answer counts once
        remember(stocked, intent="sums lent, by district", evidence=told)
    (earned,) = stocked.get(f"{BASE}/trust").json()["trust"]
    assert (earned["rule"], earned["outcomes"]) == ("default", 1)
    assert earned["lead"] > 0
    assert 0.73 < earned["heard"] < 1
    assert stocked.delete(f"{BASE}/trust").json() == {"forgotten": 1}
    assert stocked.get(f"{BASE}/trust").json() == {"trust": []}
    assert stocked.get(f"{BASE}/memories").json()["memories"]
    assert stocked.delete("/v1/workspaces/nowhere/trust").status_code == 404
