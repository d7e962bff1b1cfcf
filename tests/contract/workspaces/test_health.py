"""What a store says of itself."""

from __future__ import annotations

from graph.store import Store


def test_an_open_store_is_ready(store: Store) -> None:
    health = store.health()
    assert health.ready, health.problems
    assert health.problems == ()
    assert health.schema >= 1
    assert health.server
    assert "@" not in store.url
