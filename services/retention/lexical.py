"""TF-IDF and BM25 over the chunks of a session, as sorted arrays of (text, term) weights.

The words are the project's own tokeniser's; document frequencies count distinct texts, so that repetition does not
make a word common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from services.retention.liveness import expand
from services.retention.session_arrays import IntArray, RealArray
from services.words import words

K1, B = 1.5, 0.75


class LexicalIndex:
    """`tfidf` is a cosine; `bm25` (Lucene's form) is divided by the score that no text can exceed for the query."""

    def __init__(self, texts: Sequence[str], *, form: Literal["tfidf", "bm25"]) -> None:
        self._form = form
        self._texts = tuple(texts)
        rows: dict[str, int] = {}
        self._inverse = np.fromiter((rows.setdefault(t, len(rows)) for t in texts), dtype=np.int64, count=len(texts))
        self._terms: dict[str, int] = {}
        counts = [Counter(self._terms.setdefault(w, len(self._terms)) for w in words(text)) for text in rows]
        self._count = len(rows)
        sizes = np.array([len(c) for c in counts], dtype=np.int64)
        row = np.repeat(np.arange(self._count), sizes)
        term = np.array([t for c in counts for t in sorted(c)], dtype=np.int64)
        times = np.array([c[t] for c in counts for t in sorted(c)], dtype=np.float64)
        df = np.bincount(term, minlength=len(self._terms))
        self._starts = np.concatenate(([0], np.cumsum(sizes)))
        self._smooth = np.log((1 + self._count) / (1 + df)) + 1
        self._cosine = times * self._smooth[term]
        norms = np.sqrt(np.bincount(row, weights=self._cosine**2, minlength=self._count))
        self._cosine /= norms[row]
        self._row, self._term = row, term
        weights = self._cosine
        self._rarity = np.log1p((self._count - df + 0.5) / (df + 0.5))
        if form == "bm25":
            lengths = np.bincount(row, weights=times, minlength=self._count)
            mean = lengths.mean() if self._count else 1.0
            weights = self._rarity[term] * times / (times + K1 * (1 - B + B * lengths[row] / mean))
        order = np.argsort(term, kind="stable")
        self._posted, self._weights = row[order], weights[order]
        self._posts = np.searchsorted(term[order], np.arange(len(self._terms) + 1))

    def score(self, query: str) -> RealArray:
        asked = Counter(words(query))
        known = [(self._terms[word], times) for word, times in asked.items() if word in self._terms]
        found = np.zeros(self._count)
        if self._form == "tfidf":
            unseen = np.log(1 + self._count) + 1
            length = sum(
                (n * (self._smooth[self._terms[w]] if w in self._terms else unseen)) ** 2 for w, n in asked.items()
            )
            parts = [(term, times * self._smooth[term] / np.sqrt(length)) for term, times in known]
        else:
            bound = sum(self._rarity[term] * times for term, times in known)
            parts = [(term, times / bound) for term, times in known if bound > 0]
        for term, factor in parts:
            posts = slice(self._posts[term], self._posts[term + 1])
            found[self._posted[posts]] += self._weights[posts] * factor
        return found[self._inverse]

    def between(self, left: IntArray, right: IntArray) -> RealArray:
        a, b = self._inverse[left], self._inverse[right]
        pairs = np.repeat(np.arange(len(a)), np.diff(self._starts)[a])
        mine = expand(self._starts, a)
        keys = self._row * len(self._terms) + self._term
        wanted = b[pairs] * len(self._terms) + self._term[mine]
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        shared = keys[at] == wanted if len(keys) else np.zeros(0, dtype=np.bool_)
        products = self._cosine[mine[shared]] * self._cosine[at[shared]]
        return np.bincount(pairs[shared], weights=products, minlength=len(a)).astype(np.float64, copy=False)

    def extended(self, texts: Sequence[str]) -> LexicalIndex:
        return LexicalIndex((*self._texts, *texts), form=self._form)
