"""Embeddings as matrices, one for each model, over the row numbers of the things that they belong to.

An id has one embedding, of one model; while a workspace changes its encoder both matrices are there.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from graph.embedded.arrays import Array, Column, Rows
from graph.embedded.kinds import Change, Vector
from graph.embeddings import Embeddings, FloatArray, check_width, unit_rows


class Matrix:
    """The vectors of one model, and which rows have one."""

    __slots__ = ("count", "present", "vectors")

    def __init__(self, width: int) -> None:
        self.count = 0
        self.vectors = Column(np.float32, width=width)
        self.present = Column(np.bool_)


class VectorTable:
    """The embeddings of a kind of thing."""

    __slots__ = ("_model_of", "_rows", "matrices")

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._model_of: dict[str, str] = {}
        self.matrices: dict[str, Matrix] = {}

    def put(self, key: str, vector: Vector) -> None:
        if self._model_of.get(key, vector.model) != vector.model:
            self.drop(key)
        matrix = self.matrices.get(vector.model)
        if matrix is None:
            matrix = self.matrices[vector.model] = Matrix(len(vector.values))
        row = self._rows.take(key)
        matrix.vectors.put(row, vector.values)
        matrix.present.put(row, 1)
        matrix.count += key not in self._model_of
        self._model_of[key] = vector.model

    def drop(self, key: str) -> None:
        """Remove the embedding; must come before the key gives up its row."""
        model = self._model_of.pop(key, None)
        row = self._rows.row_of.get(key)
        if model is None or row is None:
            return
        matrix = self.matrices[model]
        matrix.vectors.clear(row)
        matrix.present.clear(row)
        matrix.count -= 1
        if not matrix.count:
            del self.matrices[model]

    def apply(self, change: Change) -> None:
        """Put in or take away the embedding of a change."""
        if change.value is None:
            self.drop(change.id)
        else:
            self.put(change.id, change.value)

    def has(self, key: str, *, model: str | None = None) -> bool:
        own = self._model_of.get(key)
        return own is not None and model in (None, own)

    def holds(self, key: str, vector: Vector) -> bool:
        """Whether this embedding is stored, bit for bit."""
        stored = self.get(key, model=vector.model)
        return stored is not None and bool(np.array_equal(stored, vector.values))

    def of(self, keys: Iterable[str]) -> dict[str, tuple[list[str], list[FloatArray]]]:
        """By model, those of the keys that have an embedding of it, and these embeddings."""
        found: dict[str, tuple[list[str], list[FloatArray]]] = {}
        for key in keys:
            model = self._model_of.get(key)
            if model is not None:
                own, vectors = found.setdefault(model, ([], []))
                own.append(key)
                vectors.append(self.matrices[model].vectors.view(self._rows)[self._rows.row_of[key]])
        return found

    def get(self, key: str, *, model: str) -> FloatArray | None:
        """A copy of the embedding of this key by `model`."""
        if not self.has(key, model=model):
            return None
        stored: FloatArray = self.matrices[model].vectors.view(self._rows)[self._rows.row_of[key]]
        return stored.copy()

    def present(self, model: str) -> NDArray[np.bool_]:
        """By row, whether there is an embedding of `model`."""
        matrix = self.matrices.get(model)
        if matrix is None:
            return np.zeros(len(self._rows), dtype=np.bool_)
        return matrix.present.view(self._rows)

    def width_of(self, model: str) -> int | None:
        """Return the dimensions of the embeddings of `model`, None where there are none."""
        matrix = self.matrices.get(model)
        return None if matrix is None else matrix.vectors.width

    def cosines(self, model: str, vectors: FloatArray) -> Array | None:
        """The cosines of one vector, or of each of several, by row: one product over the matrix as it lies; None
        where there is no embedding at all."""
        matrix = self.matrices.get(model)
        if matrix is None:
            return None
        check_width(vectors.shape[-1], stored=matrix.vectors.width, model=model)
        product: Array = vectors @ matrix.vectors.view(self._rows).T
        return product


def checked(embeddings: Embeddings | None, table: VectorTable) -> dict[str, Vector]:
    """Return the embeddings by id. Raises `InvalidInput` as `unit_rows` does, and for another width than that of their
    model in the table."""
    if embeddings is None or not embeddings.ids:
        return {}
    vectors = checked_vectors(embeddings)
    check_width(embeddings.matrix.shape[1], stored=table.width_of(embeddings.model), model=embeddings.model)
    return vectors


def checked_vectors(embeddings: Embeddings) -> dict[str, Vector]:
    """Return the embeddings by id. Raises `InvalidInput` as `unit_rows` does."""
    if not embeddings.ids:
        return {}
    rows = zip(embeddings.ids, unit_rows(embeddings), strict=True)
    return {key: Vector(model=embeddings.model, values=row) for key, row in rows}
