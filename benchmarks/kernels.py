"""The bare arithmetic that no answer gets around: products of a matrix and a vector, and of postings and a question.

No names, no ranking, no lock, no text: arrays that are there already, multiplied by numpy.
"""

from __future__ import annotations

from collections import Counter
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graph.embeddings import FloatArray
from services.lexical.weights import Cosines
from services.words import piece_grams, pieces

Query = list[tuple[slice, float]]


class SparseProduct:
    """A term-document matrix of TF-IDF weights by columns of postings, and its product with a question."""

    def __init__(self, cosines: Cosines) -> None:
        index = cosines.index
        self._index = index
        idf = np.log((1 + index.size) / (1 + index.frequencies)) + 1
        values = np.repeat(idf, index.frequencies) * (1 + np.log(index.counts.astype(np.float64)))
        lengths = np.sqrt(np.bincount(index.slots, weights=values * values, minlength=len(index.ids)))
        self._values = (values / lengths[index.slots]).astype(np.float32)
        self._idf = idf

    def query(self, text: str) -> Query:
        """The question as its terms' postings and weights: reading the text is no part of the product."""
        numbers, starts = self._index.vocabulary.numbers, self._index.starts.tolist()
        return [
            (slice(starts[number], starts[number + 1]), float(self._idf[number] * (1 + log(often))))
            for term, often in Counter(gram for piece in pieces(text) for gram in piece_grams(piece)).items()
            if (number := numbers.get(term, len(starts))) + 1 < len(starts)
        ]

    def __call__(self, query: Query) -> NDArray[Any]:
        """In the form that was fastest here: a loop over terms takes 1.4 times, scipy's CSR product 1 to 1.2 times."""
        if not query:
            return np.zeros(len(self._index.ids))
        slots = np.concatenate([self._index.slots[at] for at, _ in query])
        values = np.concatenate([self._values[at] * np.float32(weight) for at, weight in query])
        return np.bincount(slots, weights=values, minlength=len(self._index.ids))


class Kernels:
    """The four products of an answer: over objects and over memories, dense and sparse."""

    def __init__(
        self, objects: Cosines, intents: Cosines, *, vectors: tuple[FloatArray, FloatArray] | None = None
    ) -> None:
        self._sparse = (SparseProduct(objects), SparseProduct(intents))
        self._dense = vectors or ()

    def prepared(self, text: str, vector: FloatArray | None) -> tuple[tuple[Query, Query], FloatArray | None]:
        first, second = self._sparse
        return (first.query(text), second.query(text)), vector

    def __call__(self, question: tuple[tuple[Query, Query], Any]) -> None:
        queries, vector = question
        for product, query in zip(self._sparse, queries, strict=True):
            product(query)
        for matrix in self._dense:
            matrix @ vector
