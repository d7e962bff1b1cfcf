"""Embeddings: who has none, saving them later, two models side by side, and the objects nearest to an intent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graph.embeddings import Embeddings
from graph.evidence import Question
from graph.store import Store
from kit.values.samples import BANK, MODEL, ODD_IDS, embeddings, intent_id, memory, table, unit

NEAR = {"account": "x", "account.A2": "xy", "account.id": "xy", "loan": "-x", "loan.amount": "xz"}


@pytest.fixture
def bank(store: Store, workspace: str) -> str:
    store.save_objects(workspace, BANK)
    store.save_memories(workspace, [memory("one", ["account"]), memory("two", ["loan"])])
    return workspace


def test_the_unembedded_are_listed_by_id_in_pages(store: Store, bank: str) -> None:
    all_of_them = tuple(sorted(each.id for each in BANK))
    assert store.list_unembedded(bank, of="objects", model=MODEL) == all_of_them
    assert store.list_unembedded(bank, of="objects", model=MODEL, limit=2) == all_of_them[:2]
    assert store.list_unembedded(bank, of="objects", model=MODEL, after=all_of_them[1], limit=3) == all_of_them[2:5]
    assert store.list_unembedded(bank, of="objects", model=MODEL, after="zzz") == ()
    assert store.list_unembedded(bank, of="intents", model=MODEL) == tuple(sorted(map(intent_id, ("one", "two"))))


def test_gone_objects_need_none(store: Store, bank: str) -> None:
    store.save_objects(bank, [], gone=["account"])
    assert "account" not in store.list_unembedded(bank, of="objects", model=MODEL)


def test_saving_moves_the_right_versions(store: Store, bank: str) -> None:
    before = store.show_stamp(bank)
    store.save_embeddings(bank, embeddings({intent_id("one"): "x"}), of="intents")
    between = store.show_stamp(bank)
    assert between.version > before.version
    assert between.catalogue_version == before.catalogue_version
    store.save_embeddings(bank, embeddings({"account": "x"}), of="objects")
    after = store.show_stamp(bank)
    assert after.version == after.catalogue_version > between.version


def test_ids_that_are_not_there_are_passed_over(store: Store, bank: str) -> None:
    store.save_embeddings(bank, embeddings({"nix": "x", "account": "x"}), of="objects")
    store.save_embeddings(bank, embeddings({"i_nix": "x", intent_id("one"): "x"}), of="intents")
    assert "account" not in store.list_unembedded(bank, of="objects", model=MODEL)
    assert store.list_unembedded(bank, of="intents", model=MODEL) == (intent_id("two"),)
    assert store.list_ids(bank).objects == tuple(sorted(each.id for each in BANK))
    assert len(store.list_ids(bank).intents) == 2


def test_a_later_one_replaces_also_across_models(store: Store, bank: str) -> None:
    store.save_embeddings(bank, embeddings({"account": "x"}), of="objects")
    store.save_embeddings(bank, embeddings({"account": "y"}), of="objects")
    asked = Question(vector=unit("x"), model=MODEL, use_memory=False)
    assert store.evidence(bank, asked).cosines.values == (0.0,)
    store.save_embeddings(bank, embeddings({"account": "x"}, model="model-b"), of="objects")
    assert "account" in store.list_unembedded(bank, of="objects", model=MODEL)
    assert store.evidence(bank, asked).cosines.ids == ()
    assert store.evidence(bank, replace(asked, model="model-b")).cosines.ids == ("account",)


def test_models_of_other_dimensions_do_not_meet(store: Store, bank: str) -> None:
    store.save_embeddings(bank, embeddings({"account": "x"}), of="objects")
    wide = np.zeros((1, 8), dtype=np.float32)
    wide[0, 0] = 1.0
    store.save_embeddings(bank, Embeddings(model="wide", ids=("loan",), matrix=wide), of="objects")
    for vector, model, found in ((unit("x"), MODEL, "account"), (wide[0], "wide", "loan")):
        cosines = store.evidence(bank, Question(vector=vector, model=model, use_memory=False)).cosines
        assert (cosines.ids, cosines.values) == ((found,), (1.0,))


def test_nearest_objects_by_intent(store: Store, bank: str) -> None:
    store.save_embeddings(bank, embeddings(NEAR), of="objects")
    store.save_embeddings(bank, embeddings({intent_id("one"): "x"}), of="intents")
    asked = [intent_id("one"), intent_id("two"), "i_nix"]
    (near,) = store.nearest_objects(bank, asked, model=MODEL).values()
    assert near.ids == ("account", "loan.amount", "account.A2", "account.id")  # the loan's is negative
    assert near.values == pytest.approx((1.0, 0.96, 0.8, 0.8), abs=1e-6)
    assert list(store.nearest_objects(bank, asked, model=MODEL)) == [intent_id("one")]
    assert store.nearest_objects(bank, asked, model="model-b") == {}
    assert store.nearest_objects(bank, [], model=MODEL) == {}


def test_nearest_objects_are_cut_by_id_at_equal_cosine(store: Store, bank: str) -> None:
    store.save_embeddings(bank, embeddings(NEAR), of="objects")
    store.save_embeddings(bank, embeddings({intent_id("one"): "x", intent_id("two"): "y"}), of="intents")
    near = store.nearest_objects(bank, [intent_id("two"), intent_id("one")], model=MODEL, limit=3)
    assert set(near) == {intent_id("one"), intent_id("two")}
    assert near[intent_id("one")].ids == ("account", "loan.amount", "account.A2")


def test_nearest_objects_are_live(store: Store, bank: str) -> None:
    store.save_embeddings(bank, embeddings(NEAR), of="objects")
    store.save_embeddings(bank, embeddings({intent_id("one"): "x"}), of="intents")
    store.save_objects(bank, [], gone=["account"])
    (near,) = store.nearest_objects(bank, [intent_id("one")], model=MODEL, limit=1).values()
    assert near.ids == ("loan.amount",)


def test_odd_ids_have_embeddings_too(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table(odd) for odd in ODD_IDS], embeddings=embeddings(dict.fromkeys(ODD_IDS, "xy")))
    assert store.list_unembedded(workspace, of="objects", model=MODEL) == ()
    cosines = store.evidence(workspace, Question(vector=unit("x"), model=MODEL, use_memory=False)).cosines
    assert cosines.ids == tuple(sorted(ODD_IDS))
    assert cosines.values == pytest.approx([0.8] * len(ODD_IDS), abs=1e-6)


def test_embeddings_are_shown_bit_for_bit_by_model(store: Store, bank: str) -> None:
    rows = np.random.default_rng(7).normal(size=(3, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    store.save_embeddings(bank, Embeddings(model="ř", ids=("loan", "account.id"), matrix=rows[:2]), of="objects")
    store.save_embeddings(bank, Embeddings(model="b", ids=("account",), matrix=rows[2:]), of="objects")
    asked = [*(each.id for each in BANK), "loan", "nowhere", intent_id("one")]
    by_model = {each.model: each for each in store.show_embeddings(bank, asked, of="objects")}
    assert list(by_model) == ["b", "ř"]
    assert by_model["ř"].ids == ("account.id", "loan")
    assert by_model["ř"].matrix.dtype == np.float32
    assert by_model["ř"].matrix.tobytes() == rows[[1, 0]].tobytes()
    assert by_model["b"].ids == ("account",)
    assert by_model["b"].matrix.tobytes() == rows[2:].tobytes()
    assert store.show_embeddings(bank, ["loan.amount", "nowhere"], of="objects") == ()


def test_objects_and_intents_of_one_id_are_told_apart(store: Store, bank: str) -> None:
    store.save_objects(bank, [table(intent_id("one"))])
    store.save_embeddings(bank, embeddings({intent_id("one"): "y"}), of="intents")
    assert store.show_embeddings(bank, [intent_id("one")], of="objects") == ()
    (shown,) = store.show_embeddings(bank, [intent_id("one")], of="intents")
    assert shown.ids == (intent_id("one"),)
    assert shown.matrix.tolist() == [[0.0, 1.0, 0.0]]


def test_the_embedding_of_a_gone_object_is_shown_and_of_a_renamed_one_is_not(store: Store, bank: str) -> None:
    store.save_embeddings(bank, embeddings(NEAR), of="objects")
    store.save_objects(bank, [replace(BANK[0], description="renamed")], gone=["loan"])
    (shown,) = store.show_embeddings(bank, sorted(NEAR), of="objects")
    assert shown.ids == tuple(sorted(set(NEAR) - {BANK[0].id}))
