"""Forgetting memories: each with its expectation, its intent with the last of them, nothing else touched."""

from __future__ import annotations

from dataclasses import replace

from graph.evidence import Expectation, Question
from graph.store import Store
from kit.oracles.snapshots import all_memories, all_objects
from kit.values.samples import BANK, MODEL, embeddings, intent_id, memory, scores

SAME, TWIN = memory("same", ["account"]), memory("same", ["loan"])
OTHER = memory("other", ["account"])


def remember(store: Store, workspace: str) -> None:
    stamp = store.save_objects(workspace, BANK).stamp
    vectors = embeddings({intent_id("same"): "x", intent_id("other"): "y"})
    store.save_memories(workspace, [SAME, TWIN, OTHER], embeddings=vectors)
    made = [
        Expectation(memory=each.id, objects=("account", "loan"), scores=(1.0, 0.5), support=0.25)
        for each in (SAME, TWIN, OTHER)
    ]
    store.save_expectations(workspace, made, stamp=stamp, form="f")


def test_an_intent_goes_with_its_last_memory(store: Store, workspace: str) -> None:
    remember(store, workspace)
    before = store.show_stamp(workspace)
    assert store.forget_memories(workspace, [SAME.id, "nix"]) == (SAME.id,)
    after = store.show_stamp(workspace)
    assert after.version > before.version
    assert after.catalogue_version == before.catalogue_version
    assert store.list_ids(workspace).intents == tuple(sorted({intent_id("same"), intent_id("other")}))
    assert store.forget_memories(workspace, [TWIN.id]) == (TWIN.id,)
    assert store.list_ids(workspace).intents == (intent_id("other"),)
    assert [each.id for each in all_memories(store, workspace)] == [OTHER.id]
    assert len(all_objects(store, workspace)) == len(BANK)


def test_ids_are_answered_sorted_once(store: Store, workspace: str) -> None:
    remember(store, workspace)
    asked = sorted([SAME.id, TWIN.id, OTHER.id], reverse=True)
    assert store.forget_memories(workspace, asked + asked) == tuple(sorted(asked))
    assert store.list_ids(workspace).intents == ()


def test_forgetting_nothing_changes_nothing(store: Store, workspace: str) -> None:
    remember(store, workspace)
    before = store.show_stamp(workspace)
    assert store.forget_memories(workspace, []) == ()
    assert store.forget_memories(workspace, ["nix", ""]) == ()
    assert store.forget_memories(workspace, [SAME.id], revision=2) == ()
    assert store.show_stamp(workspace) == before
    assert len(all_memories(store, workspace)) == 3


def test_a_revision_guards(store: Store, workspace: str) -> None:
    remember(store, workspace)
    store.save_memories(workspace, [replace(SAME, times=2, revision=1)])
    assert store.forget_memories(workspace, [SAME.id, TWIN.id], revision=1) == (TWIN.id,)
    assert store.forget_memories(workspace, [SAME.id], revision=2) == (SAME.id,)


def test_a_forgotten_memory_can_be_made_again_from_nothing(store: Store, workspace: str) -> None:
    remember(store, workspace)
    store.forget_memories(workspace, [OTHER.id])
    assert store.save_memories(workspace, [OTHER]) == (True,)
    assert store.show_memories(workspace, [OTHER.id]) == (replace(OTHER, revision=1),)
    assert store.list_unembedded(workspace, of="intents", model=MODEL) == (intent_id("other"),)
    question = Question(intents=scores({intent_id("other"): 0.5}), form="f")
    assert [each.expected for each in store.evidence(workspace, question).memories] == [None]


def test_more_are_forgotten_than_one_statement_takes(in_batches: tuple[Store, str]) -> None:
    store, workspace = in_batches
    store.save_objects(workspace, BANK)
    many = [memory(f"question {number // 2}", [("account", "loan")[number % 2]]) for number in range(25)]
    assert all(store.save_memories(workspace, many))
    assert len(store.forget_memories(workspace, [each.id for each in many])) == 25
    assert all_memories(store, workspace) == ()
    assert store.list_ids(workspace).intents == ()
    assert store.show_workspace(workspace).memories == 0
