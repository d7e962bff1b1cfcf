"""Saving memories: compare and set by revision, in order, each field kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.errors import StaleRevision
from graph.memories import OutcomeEvidence
from graph.store import Store
from kit.values.samples import AT, BANK, MODEL, ODD_IDS, embeddings, intent_id, memory, table


@pytest.fixture
def bank(store: Store, workspace: str) -> str:
    store.save_objects(workspace, BANK)
    return workspace


def test_every_field_is_kept(store: Store, bank: str) -> None:
    outcomes = (
        OutcomeEvidence(
            kind="executed_sql", outcome="success", at=AT, state="confirmed", note="ran, 3 rows", discovery="d_1"
        ),
        OutcomeEvidence(kind="feedback", outcome="failure", at=AT + timedelta(microseconds=1), state="refuted"),
        OutcomeEvidence(
            kind="annotated", outcome="success", at=AT + timedelta(hours=1), state="proposed", note="ř 中 🜚"
        ),
    )
    full = memory(
        "Kolik účtů má „Praha“? 多少 🜚",
        ["loan.amount", "account"],
        state="proposed",
        times=7,
        successes=3,
        failures=2,
        evidence=outcomes,
        statement="SELECT '?' FROM \"account\"\n-- ok",
        dialect="sqlite",
        last_used_at=AT + timedelta(days=3, microseconds=5),
    )
    assert store.save_memories(bank, [full]) == (True,)
    assert store.show_memories(bank, [full.id]) == (replace(full, revision=1),)


def test_absent_and_empty_are_kept_apart(store: Store, bank: str) -> None:
    bare = memory("bare", ["account"], evidence=(), statement=None, dialect=None)
    empty = memory("empty", ["account"], statement="", dialect="")
    store.save_memories(bank, [bare, empty])
    assert store.show_memories(bank, [bare.id])[0] == replace(bare, revision=1)
    assert store.show_memories(bank, [empty.id])[0] == replace(empty, revision=1)


def test_a_new_memory_needs_revision_0(store: Store, bank: str) -> None:
    assert store.save_memories(bank, [memory("a", ["account"], revision=1)]) == (False,)
    assert store.list_memories(bank) == ()
    assert store.list_ids(bank).intents == ()


def test_only_the_stored_revision_is_replaced(store: Store, bank: str) -> None:
    first = memory("a", ["account"])
    assert store.save_memories(bank, [first]) == (True,)
    assert store.save_memories(bank, [replace(first, times=9)]) == (False,)
    assert store.save_memories(bank, [replace(first, times=2, revision=1)]) == (True,)
    assert store.save_memories(bank, [replace(first, times=9, revision=1)]) == (False,)
    assert store.save_memories(bank, [replace(first, times=9, revision=3)]) == (False,)
    assert store.show_memories(bank, [first.id]) == (replace(first, times=2, revision=2),)


def test_answers_are_in_order_and_the_good_ones_of_a_batch_are_saved(store: Store, bank: str) -> None:
    stale, good, other = memory("stale", ["account"]), memory("good", ["loan"]), memory("other", ["loan"])
    store.save_memories(bank, [stale])
    batch = [other, replace(stale, times=5), good]
    for order in (batch, batch[::-1]):
        answer = store.save_memories(bank, [replace(m, revision=0) for m in order])
        assert answer == tuple(m.id != stale.id for m in order)
        store.forget_memories(bank, [good.id, other.id])
    assert store.show_memories(bank, [stale.id])[0].times == 1


def test_versions_move_with_what_was_written(store: Store, bank: str) -> None:
    before = store.show_stamp(bank)
    first = memory("a", ["account"])
    store.save_memories(bank, [first])
    after = store.show_stamp(bank)
    assert after.version > before.version
    assert after.catalogue_version == before.catalogue_version
    assert store.save_memories(bank, []) == ()
    assert store.save_memories(bank, [first]) == (False,)
    assert store.show_stamp(bank) == after


def test_missing_is_the_stores_to_say(store: Store, bank: str) -> None:
    lying = memory("a", ["account"], missing=("account",))
    silent = memory("b", ["account", "nowhere", "else"])
    store.save_memories(bank, [lying, silent])
    assert store.show_memories(bank, [lying.id])[0].missing == ()
    assert store.show_memories(bank, [silent.id])[0].missing == ("else", "nowhere")


def test_a_memory_of_no_objects_is_kept(store: Store, bank: str) -> None:
    nothing = memory("nothing", [])
    store.save_memories(bank, [nothing])
    assert store.show_memories(bank, [nothing.id]) == (replace(nothing, revision=1),)


def test_one_intent_serves_many_memories(store: Store, bank: str) -> None:
    one, two = memory("same", ["account"]), memory("same", ["loan"])
    store.save_memories(bank, [one, two])
    assert store.list_ids(bank).intents == (intent_id("same"),)
    assert store.changes(bank, since=0).intents == ((intent_id("same"), "same"),)
    assert [m.id for m in store.list_memories(bank, intent_id=intent_id("same"))] == sorted([one.id, two.id])


def test_odd_objects_are_named_to_the_letter(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table(odd) for odd in ODD_IDS])
    all_of_them = memory("odd", ODD_IDS)
    store.save_memories(workspace, [all_of_them])
    assert store.show_memories(workspace, [all_of_them.id]) == (replace(all_of_them, revision=1),)
    kept_id = replace(memory("id with / and 🜚", []), id="m/'\"🜚", intent_id="i/'\"🜚")
    store.save_memories(workspace, [kept_id])
    assert store.show_memories(workspace, ["m/'\"🜚"]) == (replace(kept_id, revision=1),)


def test_an_intents_embedding_is_replaced_by_another_models(store: Store, bank: str) -> None:
    first = memory("a", ["account"])
    store.save_memories(bank, [first], embeddings=embeddings({intent_id("a"): "x"}))
    assert store.list_unembedded(bank, of="intents", model=MODEL) == ()
    assert store.list_unembedded(bank, of="intents", model="model-b") == (intent_id("a"),)
    second = memory("a", ["loan"])
    store.save_memories(bank, [second], embeddings=embeddings({intent_id("a"): "y"}, model="model-b"))
    assert store.list_unembedded(bank, of="intents", model=MODEL) == (intent_id("a"),)
    assert store.list_unembedded(bank, of="intents", model="model-b") == ()


def test_an_intents_embedding_stays_when_none_is_given(store: Store, bank: str) -> None:
    first = memory("a", ["account"])
    store.save_memories(bank, [first], embeddings=embeddings({intent_id("a"): "x"}))
    store.save_memories(bank, [replace(first, times=2, revision=1), memory("a", ["loan"])])
    assert store.list_unembedded(bank, of="intents", model=MODEL) == ()


def test_one_takes_the_place_of_another_in_one_write(store: Store, bank: str) -> None:
    old, other, new = memory("old", ["account"]), memory("other", ["loan"]), memory("new", ["account"])
    store.save_memories(bank, [old, other])
    old = store.show_memories(bank, [old.id])[0]
    before = store.show_stamp(bank).version
    assert store.save_memories(bank, [new], instead_of=old) == (True,)
    assert store.list_ids(bank).intents == tuple(sorted([new.intent_id, other.intent_id]))
    assert {m.id for m in store.list_memories(bank)} == {new.id, other.id}
    assert store.show_stamp(bank).version == before + 1
    assert store.changes(bank, since=before).removed


def test_what_was_changed_since_keeps_its_place(store: Store, bank: str) -> None:
    old, other, new = memory("old", ["account"]), memory("other", ["loan"]), memory("new", ["account"])
    store.save_memories(bank, [old, other])
    there, before = store.list_memories(bank), store.show_stamp(bank)
    for stale in (old, replace(old, revision=2), replace(old, id="m_nowhere", revision=0)):
        with pytest.raises(StaleRevision):
            store.save_memories(bank, [new], instead_of=stale)
    kept = next(m for m in there if m.id == old.id)
    assert store.save_memories(bank, [replace(other, times=5)], instead_of=kept) == (False,)  # it is there already
    assert store.list_memories(bank) == there
    assert store.show_stamp(bank) == before
