"""Workspaces: made once, counted, listed, deleted whole, and made again under the same name."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest

from graph.errors import StaleRevision, UnknownWorkspace
from graph.store import Store
from graph.workspaces import Workspace
from kit.oracles.snapshots import snapshot
from kit.values.samples import AT, BANK, BANK_REFERENCES, embeddings, intent_id, memory, table


@pytest.fixture
def name() -> str:
    return f"t-{uuid.uuid4().hex}"


def test_creating_returns_an_empty_workspace_and_that_it_is_new(store: Store, name: str) -> None:
    made, new = store.create_workspace(name, incarnation="first", at=AT)
    assert new
    assert made == Workspace(name=name, created_at=AT, stamp=made.stamp)
    assert made.stamp.incarnation == "first"
    assert store.show_workspace(name) == made
    assert store.show_stamp(name) == made.stamp
    store.delete_workspace(name)


def test_instants_come_back_aware_and_in_utc(store: Store, workspace: str) -> None:
    store.save_memories(workspace, [memory("when", [])])
    (stored,) = store.list_memories(workspace)
    for at in (store.show_workspace(workspace).created_at, stored.created_at, stored.last_used_at):
        assert at.utcoffset() == timedelta(0)


def test_creating_again_leaves_it_as_it_is(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, references=BANK_REFERENCES)
    before = store.show_workspace(workspace)
    again, new = store.create_workspace(workspace, incarnation="another", at=before.created_at + timedelta(days=1))
    assert not new
    assert again == before == store.show_workspace(workspace)


def test_a_workspace_is_as_old_as_the_earliest_call_says(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    before = store.show_workspace(workspace)
    again, new = store.create_workspace(workspace, incarnation="another", at=AT)
    assert not new
    assert again == replace(before, created_at=AT) == store.show_workspace(workspace)


def test_counts_tell_live_and_gone_apart(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, references=BANK_REFERENCES)
    store.save_objects(workspace, [], gone=["account.A2"])
    store.save_memories(workspace, [memory("a", ["account"]), memory("b", ["account"]), memory("c", ["nowhere"])])
    shown = store.show_workspace(workspace)
    assert (shown.tables, shown.attributes, shown.gone, shown.references, shown.memories) == (2, 3, 1, 1, 3)


def test_listing_is_by_name_with_counts(store: Store) -> None:
    stem = f"t-{uuid.uuid4().hex}"
    names = [f"{stem}-{end}" for end in ("b", "a_", "a", "a-1", "aa")]
    for each in names:
        store.create_workspace(each, incarnation=each, at=AT)
    store.save_objects(names[0], [table("only")])
    listed = [each for each in store.list_workspaces() if each.name.startswith(stem)]
    assert [each.name for each in listed] == sorted(names)
    assert listed == [store.show_workspace(each) for each in sorted(names)]
    for each in names:
        store.delete_workspace(each)


def test_a_deleted_workspace_is_unknown_and_can_be_made_again_empty(store: Store, name: str) -> None:
    store.create_workspace(name, incarnation="first", at=AT)
    store.create_workspace(other := f"{name}-other", incarnation="other", at=AT)
    empty = snapshot(store, name)
    store.save_objects(name, BANK, references=BANK_REFERENCES, embeddings=embeddings({"account": "x"}))
    store.save_memories(name, [memory("a", ["account"])], embeddings=embeddings({intent_id("a"): "x"}))
    store.delete_workspace(name)
    with pytest.raises(UnknownWorkspace):
        store.show_workspace(name)
    assert name not in {each.name for each in store.list_workspaces()}
    made, new = store.create_workspace(name, incarnation="second", at=AT)
    assert new
    assert made.stamp.incarnation == "second"
    assert snapshot(store, name) == empty == snapshot(store, other)
    store.save_objects(name, BANK, references=BANK_REFERENCES)
    assert store.show_workspace(name).attributes == 4
    store.delete_workspace(name)
    store.delete_workspace(other)


def test_a_workspace_that_moved_since_it_was_seen_stays(store: Store, name: str) -> None:
    store.create_workspace(name, incarnation="first", at=AT)
    seen = store.show_stamp(name)
    store.save_objects(name, BANK)
    for stale in (seen, replace(store.show_stamp(name), incarnation="another")):
        with pytest.raises(StaleRevision):
            store.delete_workspace(name, stamp=stale)
    assert store.show_workspace(name).tables == 2
    store.delete_workspace(name, stamp=store.show_stamp(name))
    with pytest.raises(UnknownWorkspace):
        store.delete_workspace(name, stamp=seen)


def test_250_memories_go_with_their_workspace(store: Store, name: str) -> None:
    store.create_workspace(name, incarnation="first", at=AT)
    store.save_objects(name, [table("t")])
    store.save_memories(name, [memory(f"question {number}", ["t"]) for number in range(250)])
    assert store.show_workspace(name).memories == 250
    store.delete_workspace(name)
    store.create_workspace(name, incarnation="second", at=AT)
    assert store.show_workspace(name).memories == 0
    assert store.list_ids(name).intents == ()
    store.delete_workspace(name)
