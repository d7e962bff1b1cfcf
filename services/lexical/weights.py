"""TF-IDF cosines and BM25 over the raw counts of an index.

Scores of a catalogue are rounded and summed in whole numbers (`rounded`), so that the order in which an index was
built cannot change them; those of a session are plain floats, as published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, log, sqrt

import numpy as np
from numpy.typing import NDArray

from graph.evidence import Scores
from services.lexical.index import Index

Floats = NDArray[np.float64]

DECIMALS = 6  # cosines are rounded before anything else is computed from them, on every store
FIXED_POINT = 2.0**28  # squared weights are summed as integers: a float sum would depend on the order
FINE = 2.0**40  # as are a question's products: whole numbers below 2^53 add up exactly
TEXTS_KEPT = 5_000
K1 = 1.5
B = 0.75


class Cosines:
    """Cosine of TF-IDF vectors, idf = ln((1 + n) / (1 + df)) + 1; `sublinear`: a term counts 1 + ln tf, not tf.

    `unseen_count`: query terms that no document holds count in the query's length.
    """

    def __init__(self, index: Index, *, sublinear: bool, unseen_count: bool, rounded: bool = True) -> None:
        self.index = index
        self.sublinear = sublinear
        self.unseen_count = unseen_count
        self._rounded = rounded
        often = np.arange(int(index.counts.max(initial=0)) + 1, dtype=np.float64)
        self._worth = 1 + np.log(np.maximum(often, 1)) if sublinear else often
        self._rarest = log(1 + index.size) + 1
        self._idf = np.log((1 + index.size) / (1 + index.frequencies)) + 1
        squares = np.repeat(self._idf, index.frequencies) * self._worth[index.counts]
        squares *= squares
        norms = np.sqrt(_sums(index, index.slots, squares, unit=FIXED_POINT if rounded else None))
        self._scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        self._read: dict[str, _Weighed] = {}

    @property
    def weights(self) -> Floats:
        """The weight of each posting, in the index's order, in a document vector of unit length."""
        weights: Floats = np.repeat(self._idf, self.index.frequencies)
        weights *= self._worth[self.index.counts]
        weights *= self._scale[self.index.slots]
        return weights

    def scores(self, text: str) -> Floats:
        """Return the cosine of `text` and each document, by slot, within 0 and 1."""
        asked = _asked(self.index, text)
        idf = self._idf[asked.numbers]
        weights = idf * self._counting(asked.often)
        unseen = self._rarest * self._counting(asked.unseen)
        counted = np.concatenate([weights, unseen]) if self.unseen_count else weights
        length = sqrt(fsum((counted * counted).tolist()))
        slots, counts, spans = self.index.postings(asked.numbers)
        values = np.repeat(weights * idf / (length or 1.0), spans)
        values *= self._worth[counts]
        cosines = _sums(self.index, slots, values, unit=FINE if self._rounded else None)
        cosines *= self._scale
        np.minimum(cosines, 1.0, out=cosines)
        return np.round(cosines, DECIMALS, out=cosines) if self._rounded else cosines

    def between(self, texts: Sequence[str]) -> Floats:
        """Return the cosines of a few texts with each other, n x n."""
        read = [self._read.get(text) or self._keep(text) for text in texts]
        numbers = np.concatenate([np.zeros(0, dtype=np.intp), *(it.numbers for it in read)])
        terms, columns = np.unique(numbers, return_inverse=True)
        rows = np.zeros((len(texts), len(terms)))
        rows[np.repeat(np.arange(len(texts)), [len(it.numbers) for it in read]), columns] = np.concatenate(
            [np.zeros(0), *(it.weights for it in read)]
        )
        cosines: Floats = np.minimum(rows @ rows.T, 1.0)
        return np.round(cosines, DECIMALS)

    def _keep(self, text: str) -> _Weighed:
        # Intents of memories are asked for repeatedly: twenty of them take two milliseconds to read.
        if len(self._read) >= TEXTS_KEPT:
            self._read.clear()
        asked = _asked(self.index, text)
        weights = self._idf[asked.numbers] * self._counting(asked.often)
        unseen = self._rarest * self._counting(asked.unseen) if self.unseen_count else np.zeros(0)
        length = sqrt(float(weights @ weights + unseen @ unseen))
        read = self._read[text] = _Weighed(numbers=asked.numbers, weights=weights / (length or 1.0))
        return read

    def _counting(self, often: Floats) -> Floats:
        return 1 + np.log(often) if self.sublinear else often


class Bm25:
    """BM25 in Lucene's form: idf = ln(1 + (n - df + .5) / (df + .5)), k1 1.5, b .75.

    `rounded` False: scores are divided by the score that no document can exceed for the query, so within 0 and 1.
    """

    def __init__(self, index: Index, *, rounded: bool = True) -> None:
        self.index = index
        self._rounded = rounded
        lengths = np.bincount(index.slots, weights=index.counts, minlength=len(index.ids))
        mean = lengths.sum() / index.size if index.size else 1.0
        self._norm = K1 * (1 - B + B * lengths / max(mean, 1.0))

    def scores(self, text: str) -> Floats:
        """Return the score of each document for `text`, by slot, 0 or more."""
        asked = _asked(self.index, text)
        holders = self.index.frequencies[asked.numbers]
        weights = asked.often * np.log(1 + (self.index.size - holders + 0.5) / (holders + 0.5))
        weights = weights * (K1 + 1) if self._rounded else weights / (weights.sum() or 1.0)
        slots, counts, spans = self.index.postings(asked.numbers)
        values = counts / (counts + self._norm[slots])
        values *= np.repeat(weights, spans)
        scores = _sums(self.index, slots, values, unit=FINE if self._rounded else None)
        return np.round(scores, DECIMALS) if self._rounded else scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Asked:
    """Terms of a query: numbers and counts of those in the index, and counts of those that are not."""

    numbers: NDArray[np.intp]
    often: Floats
    unseen: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Weighed:
    """Terms of a text that are in the index, and their weights in a vector of unit length."""

    numbers: NDArray[np.intp]
    weights: Floats


def best(
    index: Index, scores: Floats, *, limit: int, above: float = 0.0, keep: Callable[[str], bool] | None = None
) -> Scores:
    """Return the `limit` best scores over `above`, best first, ties by id; `keep` filters ids."""
    chosen = np.flatnonzero(scores > above)
    if keep is not None:
        chosen = np.array([slot for slot in chosen if keep(index.ids[slot])], dtype=np.intp)
    own = scores[chosen]
    if len(chosen) > limit:
        stays = own >= np.partition(own, len(own) - limit)[len(own) - limit]
        chosen, own = chosen[stays], own[stays]
    order = np.argsort(-own, kind="stable")
    chosen, own = chosen[order], own[order]
    ids = [index.ids[slot] for slot in chosen.tolist()]
    tied = np.flatnonzero(own[1:] == own[:-1])
    for run in np.split(tied, np.flatnonzero(np.diff(tied) > 1) + 1) if len(tied) else ():
        start, stop = int(run[0]), int(run[-1]) + 2
        ids[start:stop] = sorted(ids[start:stop])
    return Scores(ids=tuple(ids[:limit]), values=tuple(own[:limit].tolist()))


def _sums(index: Index, slots: NDArray[np.int32], values: Floats, *, unit: float | None) -> Floats:
    """Return the sum of `values` by slot; `unit`, a power of two, makes it a sum of whole numbers of 1 / unit, which no
    order of terms changes. Overwrites `values`."""
    if unit is not None:
        values *= unit
        np.rint(values, out=values)
    sums: Floats = np.bincount(slots, weights=values, minlength=len(index.ids)).astype(np.float64, copy=False)
    return sums / unit if unit is not None else sums


def _asked(index: Index, text: str) -> _Asked:
    known, strange = index.vocabulary.read(text)
    counted = Counter(known)
    numbers = np.array([*counted], dtype=np.intp)
    often = np.array([*counted.values()], dtype=np.float64)
    held = numbers < len(index.frequencies)  # the vocabulary may be ahead of this index
    held[held] = index.frequencies[numbers[held]] > 0
    unseen = [*Counter(strange).values(), *often[~held].tolist()]
    return _Asked(numbers=numbers[held], often=often[held], unseen=np.array(unseen, dtype=np.float64))
