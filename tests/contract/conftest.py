"""The REST application over each back end, and workspaces in it, as a user has them who runs `retinue serve`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import httpx2
import pytest
from starlette.testclient import TestClient

from api.rest.app import create_app
from api.wiring import Services
from graph.store import Store


@pytest.fixture
def in_batches(opener: Callable[..., Store]) -> Iterator[tuple[Store, str]]:
    """A store whose batches are of a few rows, so that a test needs a few to pass one, and a workspace in it."""
    store, name = opener(write_batch=4, vector_batch=2), f"t-{uuid.uuid4().hex}"
    store.create_workspace(name, incarnation=name, at=datetime.now(UTC))
    yield store, name
    store.delete_workspace(name)
    store.close()


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
