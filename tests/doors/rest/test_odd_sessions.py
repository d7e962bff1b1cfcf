"""Faults reported of similar systems, tried on sessions: what was forgotten stays so, nothing is dropped in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.rest.app import create_app
from api.settings import read_settings
from api.wiring import Services, open_services
from graph.errors import InvalidInput, UnknownChunks
from graph.premises import Premise
from services.sessions import GivenChunk, import_log

BASE = "/v1/workspaces/default/sessions"
SECRET = "the vault code is 4711-0815"


@pytest.fixture
def services(tmp_path: Path) -> Any:
    with open_services(read_settings({}, store=f"sqlite:///{tmp_path / 'r.db'}", encoder="none")) as opened:
        yield opened


@pytest.fixture
def client(services: Services) -> Any:
    with TestClient(create_app(services, refresh=False)) as opened:
        yield opened


def log() -> list[str]:
    said = ["Open the vault, please.", SECRET, "The vault is open."]
    roles = ["user", "assistant", "assistant"]
    return [
        json.dumps({"id": f"m{n}", "role": role, "content": text, "premises": [f"m{n - 1}"] if n else []})
        for n, (role, text) in enumerate(zip(roles, said, strict=True))
    ]


@pytest.mark.fault(2)
@pytest.mark.parametrize("way", ["purged", "evicted"])
def test_what_was_forgotten_does_not_come_back_when_the_log_is_processed_again(
    services: Services, client: TestClient, tmp_path: Path, way: str
) -> None:
    sessions = services.sessions
    import_log(sessions, "default", "s", log())
    if way == "purged":
        sessions.purge("default", "s", ["m1"], tombstones=True)
    else:
        asked = {"query": "is the vault open", "budget_tokens": 4, "policy": "recent"}
        applied = client.post(f"{BASE}/s/retain", json={**asked, "apply": True, "tombstones": True}).json()
        assert "m1" in applied["archived"]
    for _ in range(2):
        again = import_log(
            sessions, "default", "s", [*log(), json.dumps({"id": "m3", "role": "user", "content": "ok"})]
        )
        assert again.faults == ()
        told = [
            client.get(f"{BASE}/s").text,
            client.get(f"{BASE}/s/chunks").text,
            client.get(f"{BASE}/s/chunks?archived=true").text,
            client.post(f"{BASE}/s/retain", json={"query": SECRET, "budget_tokens": 100, "explain": True}).text,
            client.get("/v1/workspaces/default/graph?around=m1").text,
        ]
        assert all("4711" not in said for said in told)
    if way == "purged":
        assert all(b"4711-0815" not in file.read_bytes() for file in tmp_path.glob("r.db*") if file.suffix == ".db")


@pytest.mark.fault(21)
def test_a_premise_that_points_nowhere_is_named_and_nothing_is_half_done(
    services: Services, client: TestClient
) -> None:
    services.sessions.create("default", "s")
    services.sessions.add_chunks("default", "s", [GivenChunk(id="a", text="a")])
    with pytest.raises(UnknownChunks, match="'nix'"):
        services.sessions.add_premises("default", "s", [Premise(chunk="a", premise="nix")])
    wrong = {"chunks": [{"id": "b", "text": "b"}, {"id": "c", "text": "c", "premises": ["a", "nix"]}]}
    assert client.post(f"{BASE}/s/chunks", json=wrong).status_code == 404
    assert client.get(f"{BASE}/s").json()["chunks"] == 1


@pytest.mark.fault(60, 61)
@pytest.mark.parametrize("encoder", ["hashing", "tfidf", "bm25"])
def test_scripts_without_blanks_find_their_chunk(services: Services, encoder: str) -> None:
    texts = {
        "late": "贷款逾期的风险很高",
        "lunch": "今天中午食堂有汤",
        "deploy": "雾凇词库部署完成",
        "ascii": "all is well",
    }
    services.sessions.create("default", "s")
    services.sessions.add_chunks(
        "default", "s", [GivenChunk(id=key, text=text, tokens=10) for key, text in texts.items()]
    )
    for query, wanted in (("贷款违约风险", "late"), ("雾凇拼音", "deploy"), ("食堂", "lunch")):
        answer = services.sessions.retain("default", "s", query, budget_tokens=10, policy="similar", encoder=encoder)
        assert answer.kept == (wanted,), (query, encoder)


@pytest.mark.fault(63)
def test_nul_bytes_and_other_control_characters_are_refused_by_name(services: Services) -> None:
    services.sessions.create("default", "s")
    for given in (
        GivenChunk(id="a\x00b", text="x"),
        GivenChunk(id="ab", text="x\x00y"),
        GivenChunk(id="a\n", text="x"),
    ):
        with pytest.raises(InvalidInput, match=r"U\+00"):
            services.sessions.add_chunks("default", "s", [given])
    done = import_log(
        services.sessions,
        "default",
        "t",
        [json.dumps({"role": "user", "content": text}) for text in ("fine", "a\x00b", "fine too")],
    )
    assert (done.added, [fault.line for fault in done.faults]) == (2, [2])


@pytest.mark.fault(66)
def test_forty_thousand_ids_fit_in_one_call(services: Services) -> None:
    services.sessions.create("default", "s")
    services.sessions.add_chunks("default", "s", [GivenChunk(id=f"c{n}", text=f"step {n}") for n in range(10)])
    ids, there = [f"c{n}" for n in range(40_000)], tuple(f"c{n}" for n in range(10))
    store = services.store
    assert store.evict_chunks("default", "s", ids, at=services.clock()) == there
    assert store.restore_chunks("default", "s", ids) == there
    assert store.list_premises("default", "s", ids) == ()
    assert store.show_chunk_embeddings("default", "s", ids=ids) == ()
    assert store.purge_chunks("default", "s", ids) == there


def test_a_chain_of_ten_thousand_asks_for_no_recursion(services: Services) -> None:
    count = 10_000
    given = [GivenChunk(id=f"c{n}", text=f"step {n}", premises=(f"c{n - 1}",) if n else ()) for n in range(count)]
    services.sessions.create("default", "s")
    assert len(services.sessions.add_chunks("default", "s", given).added) == count
    for policy in ("default", "closure", "multi_hop"):
        answer = services.sessions.retain("default", "s", "step 7", budget_tokens=100, policy=policy)
        assert answer.tokens <= 100
        assert len(answer.kept) + len(answer.evicted) == count
    whole = services.sessions.retain("default", "s", f"step {count - 1}", budget_tokens=10**6)
    assert (len(whole.kept), whole.warnings) == (count, ())


@pytest.mark.fault(68)
def test_an_empty_question_or_chunk_is_refused_and_an_empty_session_answers(client: TestClient) -> None:
    client.put(f"{BASE}/s")
    for query in ("", "  ", "\t\n", "\u200b"):
        assert client.post(f"{BASE}/s/retain", json={"query": query, "budget_tokens": 9}).status_code == 422
    assert client.post(f"{BASE}/s/chunks", json={"chunks": [{"id": "a", "text": "  "}]}).status_code == 422
    answer = client.post(f"{BASE}/s/retain", json={"query": "anything", "budget_tokens": 9}).json()
    assert (answer["kept"], answer["evicted"], answer["tokens"]) == ([], [], 0)


@pytest.mark.fault(72)
def test_a_body_cannot_set_the_scope(client: TestClient) -> None:
    client.put(f"{BASE}/s")
    client.put(f"{BASE}/other")
    for extra in ({"workspace": "other"}, {"session": "other"}, {"metadata": {"workspace_id": "other"}}):
        chunk = {"id": "a", "text": "a", **extra}
        assert client.post(f"{BASE}/s/chunks", json={"chunks": [chunk]}).status_code == 422
        asked = {"query": "a", "budget_tokens": 9, **extra}
        assert client.post(f"{BASE}/s/retain", json=asked).status_code == 422
    assert client.get(f"{BASE}/other").json()["chunks"] == 0


@pytest.mark.fault(74)
def test_an_empty_id_is_no_filter(client: TestClient) -> None:
    client.put(f"{BASE}/s")
    client.post(f"{BASE}/s/chunks", json={"chunks": [{"id": "a", "text": "a"}]})
    assert client.delete(f"{BASE}/s/chunks/").status_code in (404, 405)
    assert client.delete(f"{BASE}/").status_code in (404, 405)
    assert client.post(f"{BASE}/s/chunks//restore").status_code in (404, 405)
    assert client.get(f"{BASE}/s/chunks?session=").status_code == 422
    assert client.get(f"{BASE}/s").json()["chunks"] == 1
