"""Expectations: kept for one catalogue and one form, stale with either, gone with their memory, no version moved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.evidence import Expectation, Question
from graph.store import Store
from graph.workspaces import Stamp
from kit.values.samples import ACCOUNT, AT, BANK, embeddings, intent_id, memory, scores

REMEMBERED = memory("one", ["account"])
MADE = Expectation(
    memory=REMEMBERED.id, objects=("loan.amount", "account", "loan"), scores=(0.9, 1 / 3, 1e-9), support=0.3
)
QUESTION = Question(intents=scores({intent_id("one"): 0.5}), form="f")


@pytest.fixture
def remembered(store: Store, workspace: str) -> str:
    store.save_objects(workspace, BANK)
    store.save_memories(workspace, [REMEMBERED])
    return workspace


def save(store: Store, workspace: str, *made: Expectation, stamp: Stamp | None = None, form: str = "f") -> None:
    store.save_expectations(workspace, made, stamp=stamp or store.show_stamp(workspace), form=form)


def shown(store: Store, workspace: str, question: Question = QUESTION) -> Expectation | None:
    found = store.evidence(workspace, replace(question, latest=60))
    (only,) = found.memories
    assert only.expected == next(it.expected for it in found.learned if it.id == only.id)
    return only.expected


def test_an_expectation_comes_back_in_its_order(store: Store, remembered: str) -> None:
    assert shown(store, remembered) is None
    save(store, remembered, MADE)
    assert shown(store, remembered) == MADE


def test_equal_scores_keep_their_order(store: Store, remembered: str) -> None:
    ties = replace(MADE, objects=("account", "account.id", "loan"), scores=(0.5, 0.5, 0.5))
    save(store, remembered, ties)
    assert shown(store, remembered) == ties


def test_an_expectation_of_nothing_is_one(store: Store, remembered: str) -> None:
    nothing = replace(MADE, objects=(), scores=(), support=0.0)
    save(store, remembered, nothing)
    assert shown(store, remembered) == nothing


def test_a_later_one_replaces_the_earlier_wholly(store: Store, remembered: str) -> None:
    save(store, remembered, MADE)
    save(store, remembered, later := replace(MADE, objects=("account.id",), scores=(0.25,), support=0.5))
    assert shown(store, remembered) == later


def test_another_form_is_another_expectation(store: Store, remembered: str) -> None:
    save(store, remembered, MADE)
    assert shown(store, remembered, replace(QUESTION, form="g")) is None


def test_saving_moves_no_version(store: Store, remembered: str) -> None:
    before = store.show_stamp(remembered)
    save(store, remembered, MADE)
    save(store, remembered)
    assert store.show_stamp(remembered) == before


def test_a_new_catalogue_makes_it_stale_until_made_anew(store: Store, remembered: str) -> None:
    save(store, remembered, MADE)
    store.save_objects(remembered, [replace(ACCOUNT[1], description="new")])
    assert shown(store, remembered) is None
    save(store, remembered, MADE)
    assert shown(store, remembered) == MADE


def test_new_object_embeddings_make_it_stale(store: Store, remembered: str) -> None:
    save(store, remembered, MADE)
    store.save_embeddings(remembered, embeddings({"account": "x"}), of="objects")
    assert shown(store, remembered) is None


def test_removed_objects_make_it_stale(store: Store, remembered: str) -> None:
    save(store, remembered, MADE)
    store.remove_objects(remembered, ["loan"])
    assert shown(store, remembered) is None


def test_memories_and_their_embeddings_do_not_make_it_stale(store: Store, remembered: str) -> None:
    save(store, remembered, MADE)
    store.save_memories(remembered, [memory("two", ["loan"])])
    store.save_embeddings(remembered, embeddings({intent_id("one"): "x"}), of="intents")
    assert shown(store, remembered) == MADE


def test_one_made_for_an_earlier_catalogue_is_passed_over(store: Store, remembered: str) -> None:
    early = store.show_stamp(remembered)
    save(store, remembered, MADE)
    store.save_objects(remembered, [replace(ACCOUNT[1], description="new")])
    save(store, remembered, MADE, stamp=early)
    assert shown(store, remembered) is None


def test_one_made_for_an_earlier_workspace_of_this_name_is_passed_over(store: Store, remembered: str) -> None:
    early = store.show_stamp(remembered)
    store.delete_workspace(remembered)
    store.create_workspace(remembered, incarnation="second", at=AT)
    store.save_objects(remembered, BANK)
    store.save_memories(remembered, [REMEMBERED])
    save(store, remembered, MADE, stamp=early)
    assert shown(store, remembered) is None


def test_one_of_a_forgotten_memory_is_passed_over(store: Store, remembered: str) -> None:
    other = memory("two", ["loan"])
    save(store, remembered, replace(MADE, memory=other.id), MADE)
    assert shown(store, remembered) == MADE
    store.save_memories(remembered, [other])
    question = replace(QUESTION, intents=scores({intent_id("two"): 0.5}))
    assert shown(store, remembered, question) is None
