"""Saving the catalogue: whole or not at all, the same thing twice changes nothing, what is gone is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.catalogue import DataObject
from graph.errors import UnknownObjects
from graph.store import Store
from kit.oracles.snapshots import all_objects, all_references, snapshot
from kit.values.samples import ACCOUNT, BANK, BANK_REFERENCES, LOAN, MODEL, column, embeddings, memory, table


def by_id(objects: tuple[DataObject, ...]) -> tuple[DataObject, ...]:
    return tuple(sorted(objects, key=lambda each: each.id))


def unembedded(store: Store, workspace: str) -> tuple[str, ...]:
    return store.list_unembedded(workspace, of="objects", model=MODEL)


def test_what_was_saved_is_there_to_the_letter(store: Store, workspace: str) -> None:
    odd = table("ODD", 'Čeština, 中文, "quotes", \\ and 🜚\nsecond line', source="file:///x y.json")
    saved = store.save_objects(workspace, (*BANK, odd), references=BANK_REFERENCES)
    assert (saved.suspended, saved.restored) == ((), ())
    assert saved.stamp == store.show_stamp(workspace)
    assert all_objects(store, workspace) == by_id((*BANK, odd))
    assert all_references(store, workspace) == BANK_REFERENCES


def test_new_tables_leave_earlier_ones(store: Store, workspace: str) -> None:
    store.save_objects(workspace, ACCOUNT)
    store.save_objects(workspace, LOAN)
    assert all_objects(store, workspace) == by_id(BANK)


def test_a_column_may_come_before_its_table_in_one_call(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK[::-1], references=BANK_REFERENCES)
    assert all_objects(store, workspace) == by_id(BANK)


def test_saving_the_same_again_changes_nothing(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, references=BANK_REFERENCES, embeddings=embeddings({"account": "x"}))
    before, stamp = snapshot(store, workspace), store.show_stamp(workspace)
    again = store.save_objects(workspace, BANK, references=BANK_REFERENCES, dropped_references=[("loan", "account")])
    assert again.stamp == stamp == store.show_stamp(workspace)
    assert snapshot(store, workspace) == before


def test_saving_nothing_changes_nothing(store: Store, workspace: str) -> None:
    stamp = store.show_stamp(workspace)
    assert store.save_objects(workspace, []).stamp == stamp == store.show_stamp(workspace)


@pytest.mark.parametrize(
    "change",
    [
        {"description": "new"},
        {"data_type": "int"},
        {"source": "elsewhere"},
        {"name": "A02"},
        {"table": "loan"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_change_replaces_the_object_and_moves_both_versions(
    store: Store, workspace: str, change: dict[str, str]
) -> None:
    store.save_objects(workspace, BANK)
    before = store.show_stamp(workspace)
    changed = replace(ACCOUNT[2], **change)  # type: ignore[arg-type]
    after = store.save_objects(workspace, [changed]).stamp
    assert after.version > before.version
    assert after.catalogue_version == after.version
    assert store.show_objects(workspace, [changed.id]) == (changed,)
    assert len(all_objects(store, workspace)) == len(BANK)


def test_a_column_that_moves_belongs_to_its_new_table_only(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    moved = replace(ACCOUNT[2], table="loan")
    store.save_objects(workspace, [moved])
    assert moved not in store.list_objects(workspace, tables=["account"])
    assert moved in store.list_objects(workspace, tables=["loan"])
    assert moved.id not in store.remove_objects(workspace, ["account"]).ids


def test_gone_objects_are_kept_and_come_back(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, references=BANK_REFERENCES, embeddings=embeddings({"account.A2": "x"}))
    before = store.show_stamp(workspace)
    marked = store.save_objects(workspace, [], gone=["account.A2"]).stamp
    assert marked.catalogue_version > before.catalogue_version
    assert store.show_objects(workspace, ["account.A2"]) == (replace(ACCOUNT[2], gone=True),)
    assert store.save_objects(workspace, [], gone=["account.A2"]).stamp == marked
    back = store.save_objects(workspace, [replace(ACCOUNT[2], gone=True)]).stamp
    assert back.catalogue_version > marked.catalogue_version
    assert store.show_objects(workspace, ["account.A2"]) == (ACCOUNT[2],)
    assert "account.A2" not in unembedded(store, workspace)


def test_references_are_added_once_and_dropped(store: Store, workspace: str) -> None:
    twice = BANK_REFERENCES * 2
    store.save_objects(workspace, BANK, references=[*twice, ("account.A2", "loan.amount")])
    assert all_references(store, workspace) == (("account.A2", "loan.amount"), *BANK_REFERENCES)
    before = store.show_stamp(workspace)
    after = store.save_objects(workspace, [], dropped_references=BANK_REFERENCES).stamp
    assert after.version == after.catalogue_version > before.version
    assert all_references(store, workspace) == (("account.A2", "loan.amount"),)


def test_a_reference_has_a_direction(store: Store, workspace: str) -> None:
    there, back = ("account.id", "loan.account_id"), ("loan.account_id", "account.id")
    store.save_objects(workspace, BANK, references=[there, back, ("account.id", "account.id")])
    assert all_references(store, workspace) == (("account.id", "account.id"), there, back)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"objects": [*LOAN, column("nowhere", "c")]}, {"nowhere"}),
        ({"objects": LOAN, "references": [("loan.account_id", "account.nix")]}, {"account.nix"}),
        ({"objects": LOAN, "references": [("nix", "account.id"), ("nix", "nix2")]}, {"nix", "nix2"}),
        ({"objects": LOAN, "gone": ["account.A2", "nix"]}, {"nix"}),
    ],
    ids=["table", "end", "both-ends", "gone"],
)
def test_a_missing_thing_is_an_error_and_nothing_is_written(
    store: Store, workspace: str, arguments: dict[str, list[DataObject]], named: set[str]
) -> None:
    store.save_objects(workspace, ACCOUNT)
    before, stamp = snapshot(store, workspace), store.show_stamp(workspace)
    with pytest.raises(UnknownObjects) as raised:
        store.save_objects(workspace, **arguments)  # type: ignore[arg-type]
    assert set(raised.value.ids) == named
    assert store.show_stamp(workspace) == stamp
    assert snapshot(store, workspace) == before


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        ({"data_type": "int"}, True),
        ({"source": "elsewhere"}, True),
        ({"description": "new"}, False),
        ({"name": "A02"}, False),
        ({"table": "loan"}, False),
    ],
    ids=lambda change: next(iter(change)) if isinstance(change, dict) else "",
)
def test_an_embedding_stays_as_long_as_its_text(
    store: Store, workspace: str, change: dict[str, str], stays: bool
) -> None:
    store.save_objects(workspace, BANK, embeddings=embeddings({"account.A2": "x", "account.id": "y"}))
    assert unembedded(store, workspace) == ("account", "loan", "loan.account_id", "loan.amount")
    store.save_objects(workspace, [replace(ACCOUNT[2], **change)])  # type: ignore[arg-type]
    assert ("account.A2" not in unembedded(store, workspace)) is stays
    assert "account.id" not in unembedded(store, workspace)


def test_a_given_embedding_comes_with_the_new_text(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, embeddings=embeddings({"account.A2": "x"}))
    changed = replace(ACCOUNT[2], description="new")
    store.save_objects(workspace, [changed], embeddings=embeddings({"account.A2": "y"}))
    assert "account.A2" not in unembedded(store, workspace)


def test_what_is_given_and_gone_is_stored_as_given_and_gone(store: Store, workspace: str) -> None:
    store.save_memories(workspace, [memory("whose", ["account", "loan"])])
    given = embeddings({"account": "x", "loan": "y"})
    saved = store.save_objects(workspace, BANK, gone=["loan", "loan.amount"], embeddings=given)
    assert (saved.suspended, saved.restored) == ((), ())
    wanted = [replace(each, gone=each.id in {"loan", "loan.amount"}) for each in BANK]
    assert store.list_objects(workspace, gone=None) == tuple(sorted(wanted, key=lambda it: it.id))
    (shown,) = store.show_embeddings(workspace, ["account", "loan"], of="objects")
    assert shown.ids == ("account", "loan")
    assert [each.missing for each in store.list_memories(workspace)] == [("loan",)]
    assert store.save_objects(workspace, [BANK[3]]).restored == tuple(m.id for m in store.list_memories(workspace))
