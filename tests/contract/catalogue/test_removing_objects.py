"""Removing from the catalogue: with every relationship, a table with its attributes, memories kept and suspended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.errors import StaleRevision
from graph.evidence import Expectation, Question
from graph.store import Store
from kit.oracles.snapshots import all_objects, all_references
from kit.values.samples import ACCOUNT, BANK, BANK_REFERENCES, MODEL, embeddings, intent_id, memory, scores, table, unit


def linked(store: Store, workspace: str) -> str:
    """A bank in which each thing has every relationship it can have; the id of its memory."""
    everything = memory("everything", [each.id for each in BANK])
    vectors = embeddings({each.id: "x" for each in BANK})
    stamp = store.save_objects(workspace, BANK, references=BANK_REFERENCES, embeddings=vectors).stamp
    store.save_memories(workspace, [everything], embeddings=embeddings({intent_id("everything"): "x"}))
    ids = tuple(each.id for each in BANK)
    made = Expectation(memory=everything.id, objects=ids, scores=(0.5,) * len(ids), support=0.5)
    store.save_expectations(workspace, [made], stamp=stamp, form="f")
    return everything.id


def test_nothing_is_removed_from_a_catalogue_that_moved_since_it_was_seen(store: Store, workspace: str) -> None:
    linked(store, workspace)
    seen = store.show_stamp(workspace)
    store.save_memories(workspace, [memory("another", ["account"])])  # moves the workspace, not the catalogue
    assert store.remove_objects(workspace, ["loan.amount"], stamp=seen).ids == ("loan.amount",)
    left = all_objects(store, workspace)
    for stale in (seen, replace(store.show_stamp(workspace), incarnation="another")):
        with pytest.raises(StaleRevision):
            store.remove_objects(workspace, ["account"], stamp=stale)
    assert all_objects(store, workspace) == left


def test_more_are_removed_than_one_statement_takes_where_the_catalogue_is_as_it_was(
    in_batches: tuple[Store, str],
) -> None:
    store, workspace = in_batches
    names = [f"t{number:02}" for number in range(24)]
    stamp = store.save_objects(workspace, [table(name) for name in names]).stamp
    assert store.remove_objects(workspace, names, stamp=stamp).ids == tuple(names)


def test_a_table_goes_with_its_attributes_and_relationships(store: Store, workspace: str) -> None:
    remembered = linked(store, workspace)
    before = store.show_stamp(workspace)
    removed = store.remove_objects(workspace, ["account", "nix"])
    assert removed.ids == ("account", "account.A2", "account.id")
    assert removed.suspended == (remembered,)
    assert [each.id for each in all_objects(store, workspace)] == ["loan", "loan.account_id", "loan.amount"]
    assert all_references(store, workspace) == ()
    after = store.show_stamp(workspace)
    assert after.version == after.catalogue_version > before.version


def test_an_attribute_goes_alone(store: Store, workspace: str) -> None:
    remembered = linked(store, workspace)
    removed = store.remove_objects(workspace, ["loan.account_id"])
    assert (removed.ids, removed.suspended) == (("loan.account_id",), (remembered,))
    assert all_references(store, workspace) == ()
    assert len(all_objects(store, workspace)) == 5


def test_what_was_removed_is_in_no_answer(store: Store, workspace: str) -> None:
    remembered = linked(store, workspace)
    store.remove_objects(workspace, ["account"])
    question = Question(
        vector=unit("x"),
        model=MODEL,
        similarity="mean",
        objects=scores({"account": 1.0, "loan": 0.5}),
        intents=scores({intent_id("everything"): 0.9}),
    )
    found = store.evidence(workspace, question)
    assert found.cosines.ids == ("loan", "loan.account_id", "loan.amount")
    assert (found.memories, found.terms.ids) == ((), ())
    (near,) = store.nearest_objects(workspace, [intent_id("everything")], model=MODEL).values()
    assert near.ids == ("loan", "loan.account_id", "loan.amount")
    assert store.list_ids(workspace).objects == ("loan", "loan.account_id", "loan.amount")
    shown = store.neighbourhood(workspace, remembered, depth=4)
    assert not {"account", "account.A2", "account.id"} & {node.id for node in shown.nodes}


def test_memories_name_what_was_removed_until_it_is_back(store: Store, workspace: str) -> None:
    remembered = linked(store, workspace)
    store.remove_objects(workspace, ["account"])
    (stored,) = store.show_memories(workspace, [remembered])
    assert stored.objects == tuple(sorted(each.id for each in BANK))
    assert stored.missing == ("account", "account.A2", "account.id")
    assert store.save_objects(workspace, ACCOUNT[:2]).restored == ()
    assert store.save_objects(workspace, ACCOUNT[2:]).restored == (remembered,)
    (stored,) = store.show_memories(workspace, [remembered])
    assert stored.missing == ()
    assert all_references(store, workspace) == ()
    assert {"account", "account.A2", "account.id"} <= set(store.list_unembedded(workspace, of="objects", model=MODEL))


def test_gone_objects_are_removed_like_live_ones(store: Store, workspace: str) -> None:
    remembered = linked(store, workspace)
    store.save_objects(workspace, [], gone=["account.A2"])
    removed = store.remove_objects(workspace, ["account.A2"])
    assert (removed.ids, removed.suspended) == (("account.A2",), ())
    assert store.show_memories(workspace, [remembered])[0].missing == ("account.A2",)


def test_removing_nothing_changes_nothing(store: Store, workspace: str) -> None:
    linked(store, workspace)
    before = store.show_stamp(workspace)
    for nothing in ([], ["nix"], [""]):
        assert store.remove_objects(workspace, nothing).ids == ()
    assert store.show_stamp(workspace) == before
    assert len(all_objects(store, workspace)) == len(BANK)
