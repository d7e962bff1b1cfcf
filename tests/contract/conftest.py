"""The REST application over each back end, and workspaces in it, as a user has them who runs `retinue serve`."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest
from starlette.testclient import TestClient

from api.rest.app import create_app
from api.wiring import Services
from graph.store import Store


@pytest.fixture
def services(store: Store) -> Services:
    """The services over the back end at hand, without an encoder; the store is closed by its own fixture."""
    made = Services(store, encoder="none")
    made.workspaces.ensure("default")
    return made


@pytest.fixture
def client(services: Services) -> Iterator[httpx2.Client]:
    with TestClient(create_app(services, refresh=False), base_url="http://127.0.0.1") as client:
        yield client
