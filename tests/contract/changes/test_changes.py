"""Changes since a version: enough to keep a mirror of objects, references and intents without reading it anew."""

from __future__ import annotations

from dataclasses import replace

from graph.store import Store
from kit.oracles.mirrors import Mirror, fresh
from kit.values.samples import ACCOUNT, BANK, BANK_REFERENCES, LOAN, embeddings, intent_id, memory


def test_an_empty_workspace_has_changed_nothing(store: Store, workspace: str) -> None:
    changes = store.changes(workspace, since=0)
    assert (changes.objects, changes.references or (), changes.intents) == ((), (), ())
    assert changes.stamp == store.show_stamp(workspace)


def test_everything_comes_by_id(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK[::-1], references=BANK_REFERENCES)
    store.save_objects(workspace, [], gone=["loan"])
    store.save_memories(workspace, [memory(text, ["account"]) for text in ("b", "a", "c")])
    changes = store.changes(workspace, since=0)
    gone = [replace(each, gone=each.id == "loan") for each in BANK]
    assert changes.objects == tuple(sorted(gone, key=lambda each: each.id))
    assert changes.references == BANK_REFERENCES
    assert changes.intents == tuple(sorted((intent_id(text), text) for text in "abc"))


def test_only_what_came_later_is_told(store: Store, workspace: str) -> None:
    store.save_objects(workspace, ACCOUNT)
    store.save_memories(workspace, [memory("early", [])])
    since = store.show_stamp(workspace).version
    store.save_objects(workspace, LOAN)
    store.save_memories(workspace, [memory("late", [])])
    changes = store.changes(workspace, since=since)
    assert [each.id for each in changes.objects] == ["loan", "loan.account_id", "loan.amount"]
    assert changes.intents == ((intent_id("late"), "late"),)
    assert not changes.removed
    nothing = store.changes(workspace, since=changes.stamp.version)
    assert (nothing.objects, nothing.references, nothing.intents, nothing.removed) == ((), None, (), False)


def test_references_come_only_with_the_catalogue(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, references=BANK_REFERENCES)
    since = store.show_stamp(workspace).version
    store.save_memories(workspace, [memory("a", ["account"])])
    assert store.changes(workspace, since=since).references is None
    store.save_objects(workspace, [], dropped_references=BANK_REFERENCES)
    assert store.changes(workspace, since=since).references == ()


def test_folded_text_comes_along(store: Store, workspace: str) -> None:
    store.save_objects(workspace, ACCOUNT)
    folded = {each.id: each.folded for each in store.changes(workspace, since=0).objects}
    assert folded == {each.id: each.folded for each in ACCOUNT}


def test_removals_are_told_and_only_to_those_before(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    store.save_memories(workspace, [memory("a", ["account"])])
    since = store.show_stamp(workspace).version
    store.remove_objects(workspace, ["loan.amount"])
    between = store.show_stamp(workspace).version
    assert store.changes(workspace, since=since).removed
    assert not store.changes(workspace, since=between).removed
    store.forget_memories(workspace, [memory("a", ["account"]).id])
    assert store.changes(workspace, since=between).removed
    assert not store.changes(workspace, since=store.show_stamp(workspace).version).removed


def test_a_mirror_follows_any_history(store: Store, workspace: str) -> None:
    mirror = Mirror()
    one, two = memory("one", ["account"]), memory("two", ["loan"])
    steps = (
        lambda: store.save_objects(workspace, BANK, references=BANK_REFERENCES),
        lambda: store.save_memories(workspace, [one, two]),
        lambda: store.save_objects(workspace, [replace(ACCOUNT[2], description="new")], gone=["loan.amount"]),
        lambda: store.remove_objects(workspace, ["loan"]),
        lambda: store.save_embeddings(workspace, embeddings({"account": "x"}), of="objects"),
        lambda: store.forget_memories(workspace, [one.id]),
        lambda: store.save_objects(workspace, LOAN, references=BANK_REFERENCES),
        lambda: store.save_memories(workspace, [one]),
        lambda: (store.remove_objects(workspace, ["account.A2"]), store.save_objects(workspace, [ACCOUNT[2]])),
        lambda: (store.forget_memories(workspace, [two.id]), store.save_memories(workspace, [two])),
    )
    for step in steps:
        step()
        mirror.catch_up(store, workspace)
        anew = fresh(store, workspace)
        assert mirror.objects == anew.objects
        assert mirror.intents == anew.intents
        assert mirror.references == anew.references == store.list_references(workspace, list(anew.objects))
        assert tuple(sorted(mirror.objects)) == store.list_ids(workspace).objects
        assert tuple(sorted(mirror.intents)) == store.list_ids(workspace).intents
