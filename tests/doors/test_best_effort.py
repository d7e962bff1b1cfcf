"""Best-effort writes: an answer does not fail with them, and each failure is logged and counted in the metrics."""

from __future__ import annotations

import logging

import pytest
from fastapi.testclient import TestClient

from api.wiring import Services
from graph.errors import StoreUnavailable

BASE = "/v1/workspaces/default"


def _failed(client: TestClient, write: str) -> float:
    label = f'retinue_writes_failed_total{{write="{write}"}} '
    lines = [line for line in client.get("/metrics").text.splitlines() if line.startswith(label)]
    return float(lines[0].removeprefix(label)) if lines else 0.0


def _down(*_: object, **__: object) -> None:
    raise StoreUnavailable("the store", found="no answer", hint="Later")


def test_an_answer_whose_record_fails_is_given_logged_and_counted(
    stocked: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = _failed(stocked, "recording a discovery")
    monkeypatch.setattr(services.store, "record_discovery", _down)
    with caplog.at_level(logging.WARNING):
        reply = stocked.post(f"{BASE}/discover", json={"intent": "loan amount"})
    assert reply.status_code == 200
    assert "recording a discovery failed: the store: no answer" in caplog.text
    assert _failed(stocked, "recording a discovery") == before + 1


def test_an_outcome_that_cannot_be_applied_keeps_what_was_learned(
    stocked: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _failed(stocked, "applying an outcome")
    monkeypatch.setattr(services.store, "show_discoveries", _down)
    body = {"intent": "loan sums", "sql": "SELECT SUM(amount) FROM loan", "discovery": "d_1"}
    assert stocked.post(f"{BASE}/learn", json=body).json()["state"] == "confirmed"
    assert _failed(stocked, "applying an outcome") == before + 1


def test_an_outcome_reads_its_discovery_once(
    stocked: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt = {"intent": "loan sums", "sql": "SELECT SUM(amount) FROM loan"}
    stocked.post(f"{BASE}/learn", json=learnt)
    found = stocked.post(f"{BASE}/discover", json={"intent": "loan amount sums"}).json()["discovery"]
    reads = []
    show = services.store.show_discoveries
    monkeypatch.setattr(services.store, "show_discoveries", lambda *given: reads.append(given) or show(*given))
    stocked.post(f"{BASE}/learn", json=learnt | {"discovery": found})
    assert len(reads) == 1
    assert stocked.get(f"{BASE}/trust").json()["trust"]
