"""Suspension: a memory weighs nothing while an object that it found is not live, and comes back by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.evidence import Question
from graph.store import Store
from kit.values.samples import ACCOUNT, BANK, intent_id, memory, scores, table

BOTH = memory("both", ["account.A2", "loan.amount"])
ONE = memory("one", ["account.A2"])
FREE = memory("free", ["loan"])
EVERYONE = Question(intents=scores({intent_id(intent): 0.5 for intent in ("both", "one", "free")}))


@pytest.fixture
def remembered(store: Store, workspace: str) -> str:
    store.save_objects(workspace, BANK)
    store.save_memories(workspace, [BOTH, ONE, FREE])
    return workspace


def speaking(store: Store, workspace: str) -> set[str]:
    return {each.id for each in store.evidence(workspace, EVERYONE).memories}


def test_gone_objects_suspend_and_their_return_restores(store: Store, remembered: str) -> None:
    assert speaking(store, remembered) == {BOTH.id, ONE.id, FREE.id}
    saved = store.save_objects(remembered, [], gone=["account.A2"])
    assert (saved.suspended, saved.restored) == (tuple(sorted((BOTH.id, ONE.id))), ())
    assert speaking(store, remembered) == {FREE.id}
    assert {m.id for m in store.list_memories(remembered, suspended=True)} == {BOTH.id, ONE.id}
    saved = store.save_objects(remembered, [ACCOUNT[2]])
    assert (saved.suspended, saved.restored) == ((), tuple(sorted((BOTH.id, ONE.id))))
    assert speaking(store, remembered) == {BOTH.id, ONE.id, FREE.id}


def test_a_memory_returns_with_the_last_of_its_objects(store: Store, remembered: str) -> None:
    store.save_objects(remembered, [], gone=["account.A2"])
    assert store.remove_objects(remembered, ["loan.amount"]).suspended == ()
    assert store.show_memories(remembered, [BOTH.id])[0].missing == ("account.A2", "loan.amount")
    assert store.save_objects(remembered, [ACCOUNT[2]]).restored == (ONE.id,)
    assert store.save_objects(remembered, BANK).restored == (BOTH.id,)


def test_one_call_may_suspend_one_and_restore_another(store: Store, remembered: str) -> None:
    store.save_objects(remembered, [], gone=["account.A2"])
    saved = store.save_objects(remembered, [ACCOUNT[2]], gone=["loan"])
    assert saved.restored == tuple(sorted((BOTH.id, ONE.id)))
    assert saved.suspended == (FREE.id,)


def test_a_memory_of_unknown_objects_wakes_when_they_come(store: Store, remembered: str) -> None:
    early = memory("both", ["account.A2", "new"])
    store.save_memories(remembered, [early])
    assert early.id not in speaking(store, remembered)
    assert store.show_memories(remembered, [early.id])[0].suspended
    assert store.save_objects(remembered, [table("new")]).restored == (early.id,)
    assert early.id in speaking(store, remembered)


def test_suspension_changes_neither_state_nor_revision(store: Store, remembered: str) -> None:
    (before,) = store.show_memories(remembered, [ONE.id])
    store.save_objects(remembered, [], gone=["account.A2"])
    store.save_objects(remembered, [ACCOUNT[2]])
    assert store.show_memories(remembered, [ONE.id]) == (before,)


def test_a_suspended_memory_can_be_saved_and_forgotten(store: Store, remembered: str) -> None:
    store.save_objects(remembered, [], gone=["account.A2"])
    assert store.save_memories(remembered, [replace(ONE, times=2, revision=1)]) == (True,)
    (stored,) = store.show_memories(remembered, [ONE.id])
    assert (stored.times, stored.missing) == (2, ("account.A2",))
    assert store.forget_memories(remembered, [ONE.id]) == (ONE.id,)
    assert store.save_objects(remembered, [ACCOUNT[2]]).restored == (BOTH.id,)
