"""What an index's raw counts are worth: TF-IDF cosines and BM25, derived from the counts whenever they changed.

Sums run in an order, or over integers, that the history of the index cannot move: equal texts give equal scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from graph.values import Scores
from services.lexical.index import Index
from services.words import pieces

Floats = NDArray[np.float64]

DECIMALS = 6  # every cosine is rounded to so many decimals before anything is made of it, on every store
FIXED_POINT = 2.0**28  # squared weights are summed as integers: a float sum would depend on the order
K1 = 1.5
B = 0.75


class Cosines:
    """Cosine of TF-IDF vectors, idf = ln((1 + n) / (1 + df)) + 1; `sublinear`: a term counts 1 + ln tf, not tf.

    Query terms that no document holds count in the query's length where `unseen_count`.
    """

    def __init__(self, index: Index, *, sublinear: bool, unseen_count: bool) -> None:
        self.index = index
        self.sublinear = sublinear
        self.unseen_count = unseen_count
        often = np.arange(int(index.counts.max(initial=0)) + 1, dtype=np.float64)
        self._worth = 1 + np.log(np.maximum(often, 1)) if sublinear else often
        self._rarest = log(1 + index.size) + 1
        idf = np.log((1 + index.size) / (1 + index.frequencies)) + 1
        squares = np.repeat(idf, index.frequencies) * self._worth[index.counts]
        squares *= squares
        squares *= FIXED_POINT
        np.rint(squares, out=squares)
        norms = np.sqrt(np.bincount(index.slots, weights=squares, minlength=len(index.ids)) / FIXED_POINT)
        self._scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)

    def scores(self, text: str) -> Floats:
        """By slot, within 0 and 1."""
        total = np.zeros(len(self.index.ids))
        square = 0.0
        for term, often in _terms(self.index, text):
            found = self.index.postings(term)
            idf = self._rarest if found is None else log((1 + self.index.size) / (1 + found.stop - found.start)) + 1
            weight = idf * (1 + log(often) if self.sublinear else often)
            if found is None:
                square += weight * weight if self.unseen_count else 0
                continue
            square += weight * weight
            total[self.index.slots[found]] += weight * idf * self._worth[self.index.counts[found]]
        if square == 0:
            return total
        cosines: Floats = np.minimum(total * self._scale / sqrt(square), 1.0)
        return np.round(cosines, DECIMALS)


class Bm25:
    """BM25 in Lucene's form: idf = ln(1 + (n - df + .5) / (df + .5)), k1 1.5, b .75."""

    def __init__(self, index: Index) -> None:
        self.index = index
        lengths = np.bincount(index.slots, weights=index.counts, minlength=len(index.ids))
        mean = lengths.sum() / index.size if index.size else 1.0
        self._norm = K1 * (1 - B + B * lengths / max(mean, 1.0))

    def scores(self, text: str) -> Floats:
        """By slot, 0 and more."""
        total = np.zeros(len(self.index.ids))
        for term, often in _terms(self.index, text):
            found = self.index.postings(term)
            if found is None:
                continue
            holders = found.stop - found.start
            idf = log(1 + (self.index.size - holders + 0.5) / (holders + 0.5))
            slots, counts = self.index.slots[found], self.index.counts[found].astype(np.float64)
            total[slots] += often * idf * counts * (K1 + 1) / (counts + self._norm[slots])
        return np.round(total, DECIMALS)


def best(index: Index, scores: Floats, *, limit: int, keep: Callable[[str], bool] | None = None) -> Scores:
    """The `limit` best above 0 (of those to keep, by id), best first, ties by id."""
    chosen = np.flatnonzero(scores > 0)
    if keep is not None:
        chosen = np.array([slot for slot in chosen if keep(index.ids[slot])], dtype=np.intp)
    if len(chosen) > limit:
        least = np.partition(scores[chosen], len(chosen) - limit)[len(chosen) - limit]
        chosen = chosen[scores[chosen] >= least]
    rows = sorted((-float(scores[slot]), index.ids[slot]) for slot in chosen)[:limit]
    return Scores(ids=tuple(item for _, item in rows), values=tuple(-score for score, _ in rows))


def _terms(index: Index, text: str) -> list[tuple[str, int]]:
    """The text's terms and how often each occurs, in the order of the terms."""
    return sorted(Counter(term for piece in pieces(text) for term in index.vocabulary.terms(piece)).items())
