"""Embeddings that cannot be compared, or are none, are refused before anything is written."""

from __future__ import annotations

import numpy as np
import pytest

from graph.embedded import EmbeddedStore
from graph.embeddings import Embeddings
from graph.errors import InvalidInput
from graph.evidence import Question
from kit.values.samples import embeddings, memory, table, unit

WRONG = {
    "zero": np.zeros((1, 3)),
    "long": np.full((1, 3), 1.0),
    "nan": np.array([[np.nan, 1.0, 0.0]]),
    "infinite": np.array([[np.inf, 0.0, 0.0]]),
    "flat": np.array([1.0, 0.0, 0.0]),
    "two rows for one id": np.eye(2, 3),
    "no columns": np.zeros((1, 0)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_matrix_that_holds_no_unit_vectors_is_refused(store: EmbeddedStore, name: str) -> None:
    wrong = Embeddings(model="m", ids=("t",), matrix=WRONG[name].astype(np.float32))
    with pytest.raises(InvalidInput):
        store.save_objects("w", [table("t")], embeddings=wrong)
    assert store.list_ids("w").objects == ()
    with pytest.raises(InvalidInput):
        store.save_memories("w", [memory("q", [], intent_id="t")], embeddings=wrong)
    assert store.list_memories("w") == ()


def test_one_model_has_one_dimension(store: EmbeddedStore) -> None:
    store.save_objects("w", [table("t")], embeddings=embeddings({"t": "x"}))
    wide = np.eye(1, 4, dtype=np.float32)
    with pytest.raises(InvalidInput, match="reindex"):
        store.save_embeddings("w", Embeddings(model="model-a", ids=("t",), matrix=wide), of="objects")
    with pytest.raises(InvalidInput, match="4 dimensions"):
        store.evidence("w", Question(vector=wide[0], model="model-a"))
    store.save_embeddings("w", Embeddings(model="model-b", ids=("t",), matrix=wide), of="objects")
    assert store.evidence("w", Question(vector=wide[0], model="model-b")).cosines.values == (1.0,)
    assert store.evidence("w", Question(vector=unit("x"), model="model-a")).unembedded == 1


def test_a_model_without_any_embedding_left_takes_no_room(store: EmbeddedStore) -> None:
    store.save_objects("w", [table("t"), table("u")], embeddings=embeddings({"t": "x", "u": "y"}))
    store.save_objects("w", [table("t", "another text")])
    store.remove_objects("w", ["u"])
    with store._reading("w") as graph:
        assert graph.object_vectors.matrices == {}


def test_evidence_copies_no_matrix(store: EmbeddedStore) -> None:
    store.save_objects("w", [table("t")], embeddings=embeddings({"t": "x"}))
    with store._reading("w") as graph:
        view = graph.object_vectors.matrices["model-a"].vectors.view(graph.object_rows)
        assert view.dtype == np.float32
        assert view.base is not None
