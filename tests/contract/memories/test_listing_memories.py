"""Reading memories: by id, in pages, filtered by state, suspension and intent."""

from __future__ import annotations

import pytest

from graph.store import Store
from kit.oracles.snapshots import pages
from kit.values.samples import BANK, intent_id, memory

CONFIRMED = memory("one", ["account"])
PROPOSED = memory("one", ["loan"], state="proposed", successes=0)
REFUTED = memory("two", ["loan"], state="refuted", failures=2)
SUSPENDED = memory("two", ["nowhere"])
ALL = (CONFIRMED, PROPOSED, REFUTED, SUSPENDED)


@pytest.fixture
def remembered(store: Store, workspace: str) -> str:
    store.save_objects(workspace, BANK)
    store.save_memories(workspace, ALL)
    return workspace


def ids(memories: object) -> list[str]:
    return [each.id for each in memories]  # type: ignore[attr-defined]


def sorted_ids(*memories: object) -> list[str]:
    return sorted(ids(memories))


def test_showing_is_by_id_whatever_the_order_asked(store: Store, remembered: str) -> None:
    asked = [each.id for each in ALL] + ["nix", "", ALL[0].id]
    assert ids(store.show_memories(remembered, asked[::-1])) == sorted_ids(*ALL)
    assert store.show_memories(remembered, []) == ()


def test_filters_narrow_and_combine(store: Store, remembered: str) -> None:
    assert ids(store.list_memories(remembered)) == sorted_ids(*ALL)
    assert ids(store.list_memories(remembered, state="confirmed")) == sorted_ids(CONFIRMED, SUSPENDED)
    assert ids(store.list_memories(remembered, state="refuted")) == sorted_ids(REFUTED)
    assert ids(store.list_memories(remembered, suspended=True)) == sorted_ids(SUSPENDED)
    assert ids(store.list_memories(remembered, suspended=False)) == sorted_ids(CONFIRMED, PROPOSED, REFUTED)
    assert ids(store.list_memories(remembered, intent_id=intent_id("one"))) == sorted_ids(CONFIRMED, PROPOSED)
    assert ids(store.list_memories(remembered, intent_id=intent_id("two"), state="confirmed", suspended=False)) == []
    assert store.list_memories(remembered, intent_id="") == ()


def test_pages_cover_everything_once(store: Store, remembered: str) -> None:
    assert ids(pages(lambda after: store.list_memories(remembered, after=after, limit=3))) == sorted_ids(*ALL)
    first = sorted_ids(*ALL)[0]
    assert ids(store.list_memories(remembered, after=first, limit=1)) == sorted_ids(*ALL)[1:2]


def test_inserts_between_pages_neither_hide_nor_repeat(store: Store, workspace: str) -> None:
    first = [memory(f"question {number}", []) for number in range(40)]
    store.save_memories(workspace, first)
    seen: list[str] = []
    while page := store.list_memories(workspace, after=seen[-1] if seen else None, limit=7):
        seen += ids(page)
        store.save_memories(workspace, [memory(f"late {len(seen)} {number}", []) for number in range(3)])
    assert len(seen) == len(set(seen))
    assert set(ids(first)) <= set(seen)
