"""The background thread: it makes what answers need, rests where nothing changed, survives a failure, and stops."""

from __future__ import annotations

import logging
import time

import pytest
from fastapi.testclient import TestClient

from api.rest.app import create_app
from api.rest.middleware.metrics import Measures
from api.rest.refreshing import Refresher
from api.wiring import Services
from graph.errors import StoreUnavailable

BASE = "/v1/workspaces/default"


def test_expectations_are_made_and_then_it_rests(stocked: TestClient, services: Services) -> None:
    stocked.post(f"{BASE}/learn", json={"intent": "loan sums", "sql": "SELECT SUM(amount) FROM loan"})
    measures = Measures()
    refresher = Refresher(services, measures=measures, pause_seconds=0.01)
    refresher.start()
    deadline = time.monotonic() + 20
    while "default" not in refresher.resting and time.monotonic() < deadline:
        time.sleep(0.01)
    refresher.stop()
    assert refresher.resting["default"] == services.store.show_stamp("default")
    assert services.discovery.refresh("default", limit=10) == 0
    assert b"retinue_refreshed_total 1.0" in measures.text()


def test_a_failure_is_tried_again(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls = 0

    def failing() -> None:
        nonlocal calls
        calls += 1
        raise StoreUnavailable("the workspaces", found="no answer", hint="Later")

    monkeypatch.setattr(services.workspaces, "list", failing)
    refresher = Refresher(services, measures=Measures(), pause_seconds=0.01)
    with caplog.at_level(logging.WARNING):
        refresher.start()
        deadline = time.monotonic() + 20
        while calls < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        refresher.stop()
    assert calls >= 2
    assert "tried again" in caplog.text


def test_the_application_starts_and_stops_it(services: Services) -> None:
    import threading

    def running() -> bool:
        return any(thread.name == "retinue-refresher" for thread in threading.enumerate())

    with TestClient(create_app(services)):
        assert running()
    assert not running()
