"""`Idempotency-Key`: a request sent again is done once, and another request never gets its answer."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from api.wiring import Services
from graph.workspaces import Reply

BASE = "/v1/workspaces/default"
BODY = {"intent": "loan sums by district", "objects": ["loan.amount", "account.A4"]}
KEY = {"Idempotency-Key": "7f3a"}


def test_a_request_sent_again_is_done_once(stocked: TestClient) -> None:
    first = stocked.post(f"{BASE}/memories", json=BODY, headers=KEY)
    again = stocked.post(f"{BASE}/memories", json=BODY, headers=KEY)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["ETag"] == first.headers["ETag"]
    assert stocked.get(f"{BASE}/memories/{first.json()['id']}").json()["times"] == 1


def test_another_request_with_the_key_is_refused(stocked: TestClient) -> None:
    stocked.post(f"{BASE}/memories", json=BODY, headers=KEY)
    other = stocked.post(f"{BASE}/memories", json={**BODY, "intent": "other"}, headers=KEY)
    elsewhere = stocked.post(f"{BASE}/discover", json={"intent": "x"}, headers=KEY)
    assert other.status_code == 422
    assert elsewhere.status_code == 200  # it creates nothing, and takes no key
    learnt = stocked.post(f"{BASE}/learn", json={"intent": "x", "sql": "SELECT amount FROM loan"}, headers=KEY)
    assert learnt.status_code == 422


def test_a_failed_request_leaves_its_key_free(stocked: TestClient) -> None:
    wrong = stocked.post(f"{BASE}/memories", json={**BODY, "objects": ["nope"]}, headers=KEY)
    assert wrong.status_code == 422
    assert stocked.post(f"{BASE}/memories", json=BODY, headers=KEY).status_code == 201


def test_a_request_under_way_is_a_conflict_until_it_is_abandoned(stocked: TestClient, services: Services) -> None:
    content = json.dumps(BODY).encode()
    headers = {**KEY, "Content-Type": "application/json"}
    digest = hashlib.sha256(f"POST {BASE}/memories\n".encode() + content).hexdigest()
    now = services.clock()
    claim = Reply(key="7f3a", request=digest, status=0, body="", at=now)
    assert services.store.claim_reply("default", claim, keep_since=now - timedelta(days=1)) is None
    waiting = stocked.post(f"{BASE}/memories", content=content, headers=headers)
    assert waiting.status_code == 409
    assert waiting.headers["Retry-After"]
    services.store.drop_reply("default", "7f3a")
    dead = Reply(key="7f3a", request=digest, status=0, body="", at=now - timedelta(minutes=6))
    services.store.claim_reply("default", dead, keep_since=now - timedelta(days=1))
    assert stocked.post(f"{BASE}/memories", content=content, headers=headers).status_code == 201


@pytest.mark.parametrize(
    "item", [rb'{"id": "\ud800", "kind": "table", "name": "x"}', b"[" * 400 + b"]" * 400, b'"\\ud800"']
)
def test_an_item_that_has_no_json_of_its_own_is_reported_and_fails_no_request(stocked: TestClient, item: bytes) -> None:
    content = b'{"objects": [' + item + b"]}"
    headers = {**KEY, "Content-Type": "application/json"}
    first = stocked.post(f"{BASE}/objects", content=content, headers=headers)
    assert first.status_code == 200, first.text
    assert len(first.json()["rejected"]) == 1
    again = stocked.post(f"{BASE}/objects", content=content, headers=headers)
    assert (again.headers["Idempotency-Replayed"], again.text) == ("true", first.text)


def test_many_at_once_do_it_once(stocked: TestClient) -> None:
    path = f"{BASE}/memories/{stocked.post(f'{BASE}/memories', json=BODY).json()['id']}/feedback"

    def send(_: int) -> int:
        return stocked.post(path, json={"outcome": "success"}, headers=KEY).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = set(pool.map(send, range(24)))
    assert statuses <= {200, 409}
    assert stocked.get(path.removesuffix("/feedback")).json()["successes"] == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "é"])
def test_a_key_is_short_and_visible(stocked: TestClient, key: str) -> None:
    reply = stocked.post(f"{BASE}/memories", json=BODY, headers={b"Idempotency-Key": key.encode("latin-1")})
    assert reply.status_code == 422


@pytest.mark.parametrize("door", ["memories", "learn", "feedback"])
def test_what_was_done_before_its_server_died_is_not_counted_again(
    stocked: TestClient, services: Services, door: str
) -> None:
    body = {**BODY, "evidence": {"kind": "annotated"}}
    if door == "learn":
        body = {"intent": "loan sums", "sql": "SELECT SUM(amount) FROM loan"}
    path = f"{BASE}/{door}"
    if door == "feedback":
        memory = stocked.post(f"{BASE}/memories", json=body).json()["id"]
        path, body = f"{BASE}/memories/{memory}/feedback", {"outcome": "success"}
    first = stocked.post(path, json=body, headers=KEY)
    services.store.drop_reply("default", KEY["Idempotency-Key"])  # it acted, and died before its reply was kept
    again = stocked.post(path, json=body, headers=KEY)
    assert first.is_success
    assert again.is_success
    [memory] = stocked.get(f"{BASE}/memories").json()["memories"]
    assert memory["successes"] == (2 if door == "feedback" else 1)
    assert memory["times"] == 1
    other = stocked.post(path, json=body, headers={"Idempotency-Key": "another"})
    assert other.is_success
    assert stocked.get(f"{BASE}/memories/{memory['id']}").json()["successes"] == memory["successes"] + 1


def test_a_change_whose_answer_was_lost_is_not_stale_to_itself(stocked: TestClient, services: Services) -> None:
    """The server died after the outcome was counted and before the reply was kept."""
    made = stocked.post(f"{BASE}/memories", json=BODY)
    path, headers = f"{BASE}/memories/{made.json()['id']}/feedback", {**KEY, "If-Match": made.headers["ETag"]}
    first = stocked.post(path, json={"outcome": "success"}, headers=headers)
    assert first.status_code == 200
    services.store.drop_reply("default", "7f3a")
    again = stocked.post(path, json={"outcome": "success"}, headers=headers)
    assert (again.status_code, again.json()) == (200, first.json())
    other = stocked.post(path, json={"outcome": "success"}, headers={**headers, "Idempotency-Key": "another"})
    assert other.status_code == 412
