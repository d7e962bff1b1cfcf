"""Loading memories: they are as they were elsewhere, revision and all, and what is there just so is passed over."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.errors import UnknownWorkspace
from graph.memories import Memory, OutcomeEvidence
from graph.store import Store
from kit.values.samples import AT, BANK, ODD_IDS, embeddings, intent_id, memory

SPOKEN = (
    OutcomeEvidence(kind="executed_sql", outcome="success", at=AT, state="confirmed", note='say "ř"', discovery="d_1"),
    OutcomeEvidence(kind="feedback", outcome="failure", at=AT + timedelta(days=1), state="refuted"),
)


def full(intent: str, *objects: str, revision: int = 7) -> Memory:
    return memory(
        intent,
        objects,
        state="refuted",
        created_at=AT - timedelta(days=3),
        last_used_at=AT + timedelta(microseconds=1),
        times=5,
        successes=2,
        failures=3,
        evidence=SPOKEN,
        statement="SELECT ?",
        dialect="sqlite",
        revision=revision,
    )


def test_they_come_back_as_they_were(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    made = [full("jedna", "loan"), full("二", "account", "account.id", revision=1), memory("", [], revision=2)]
    store.load_memories(workspace, made)
    assert store.list_memories(workspace) == tuple(sorted(made, key=lambda m: m.id))
    assert store.list_ids(workspace).intents == tuple(sorted(m.intent_id for m in made))


def test_what_is_missing_is_worked_out(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    store.save_objects(workspace, [], gone=["loan"])
    store.load_memories(workspace, [replace(full("x", "loan", "account", *ODD_IDS), missing=("account",))])
    (shown,) = store.list_memories(workspace, suspended=True)
    assert shown.missing == tuple(sorted(["loan", *ODD_IDS]))
    assert store.save_objects(workspace, [BANK[0]]).restored == ()


def test_what_is_there_just_so_moves_no_version(store: Store, workspace: str) -> None:
    made = [full("one", "a"), full("two", "b")]
    store.load_memories(workspace, made)
    before = store.show_stamp(workspace)
    store.load_memories(workspace, made)
    store.load_memories(workspace, [])
    assert store.show_stamp(workspace) == before
    store.load_memories(workspace, [made[0], replace(made[1], times=6)])
    after = store.show_stamp(workspace)
    assert after.version > before.version
    assert after.catalogue_version == before.catalogue_version
    assert store.changes(workspace, since=before.version).intents == ()
    assert store.show_memories(workspace, [made[1].id])[0].times == 6


def test_the_last_word_is_the_loaded_one_whatever_the_revision(store: Store, workspace: str) -> None:
    store.save_memories(workspace, [memory("one", ["a"])])
    older = full("one", "a", revision=1)
    newer = replace(older, revision=9, objects=("a",), state="confirmed")
    for each in (newer, older):
        store.load_memories(workspace, [each])
        assert store.show_memories(workspace, [each.id]) == (replace(each, missing=("a",)),)
    assert store.save_memories(workspace, [replace(older, times=8)]) == (True,)


def test_an_intent_keeps_its_embedding(store: Store, workspace: str) -> None:
    store.save_memories(workspace, [memory("one", ["a"])], embeddings=embeddings({intent_id("one"): "x"}))
    store.load_memories(workspace, [full("one", "a"), full("one", "b")])
    (shown,) = store.show_embeddings(workspace, [intent_id("one")], of="intents")
    assert shown.matrix.tolist() == [[1.0, 0.0, 0.0]]


def test_an_intent_that_is_left_goes(store: Store, workspace: str) -> None:
    first = full("one", "a")
    store.load_memories(workspace, [first])
    moved = replace(first, intent="two", intent_id=intent_id("two"))
    before = store.show_stamp(workspace).version
    store.load_memories(workspace, [moved])
    assert store.list_ids(workspace).intents == (intent_id("two"),)
    changes = store.changes(workspace, since=before)
    assert (changes.removed, changes.intents) == (True, ((intent_id("two"), "two"),))


def test_many_are_loaded_in_one_transaction(in_batches: tuple[Store, str]) -> None:
    store, workspace = in_batches
    made = [full(f"intent {i % 14}", f"o{i}") for i in range(24)]
    store.load_memories(workspace, made)
    shown = store.show_workspace(workspace)
    assert shown.memories == 24
    assert len(store.changes(workspace, since=0).intents) == 14
    assert shown.stamp.version == 1


def test_a_workspace_that_is_not_there_is_said(store: Store) -> None:
    with pytest.raises(UnknownWorkspace):
        store.load_memories("nowhere", [full("x", "a")])
    with pytest.raises(UnknownWorkspace):
        store.load_memories("nowhere", [])
