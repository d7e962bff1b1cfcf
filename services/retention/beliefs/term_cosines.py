"""TF-IDF cosines of a query and each chunk over the session's term index: identifiers whole, each term counted once.

Kept apart from `services.lexical`: with its words and counts instead, `default` keeps the full chain in 9 scenarios
fewer of `docs/studies` and in none more (own 343 to 339, words 245 to 241, weak 70 to 69).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from services.retention.beliefs.definitions import sum_rows
from services.retention.beliefs.term_index import TermIndex, cut
from services.retention.session_arrays import IntArray, RealArray


class Posts:
    """Rows by token, up to the row where the list was made."""

    def __init__(self, mentions: TermIndex) -> None:
        order = np.argsort(mentions.tokens, kind="stable")
        self.rows = mentions.rows_of(order)
        self.starts = np.concatenate(([0], np.cumsum(np.bincount(mentions.tokens, minlength=len(mentions.frequency)))))
        self.until = mentions.rows

    def of(self, token: int) -> IntArray:
        if token >= len(self.starts) - 1:
            return self.rows[:0]
        return self.rows[self.starts[token] : self.starts[token + 1]]


class TermCosines:
    """Cosines of one state of a session; `posts` are those of an earlier state, if any."""

    def __init__(self, mentions: TermIndex, *, posts: Posts | None = None) -> None:
        self._mentions = mentions
        stale = posts is None or mentions.rows - posts.until > max(1_000, posts.until // 8)
        self.posts = Posts(mentions) if posts is None or stale else posts

    @cached_property
    def _rarity(self) -> RealArray:
        return np.log((1 + self._mentions.rows) / (1 + self._mentions.frequency)) + 1

    @cached_property
    def _lengths(self) -> RealArray:
        sums = sum_rows((self._rarity**2)[self._mentions.tokens], self._mentions.starts)
        return np.sqrt(np.maximum(sums, 1e-12))

    def score(self, query: str) -> RealArray:
        """One cosine a chunk; words that no chunk mentions count in the query's length alone."""
        mentions = self._mentions
        asked = sorted(set(cut(query)))
        numbers = [number for word in asked if (number := mentions.number_of(word)) >= 0]
        unseen = float(np.log(1 + mentions.rows) + 1) ** 2 * (len(asked) - len(numbers))
        if not numbers:
            return np.zeros(len(mentions.row_of))
        squares = self._rarity[numbers] ** 2
        found = np.zeros(mentions.rows)
        late = mentions.starts[self.posts.until]
        tail, tail_rows = mentions.tokens[late:], mentions.keys[late:] >> 32
        for number, square in zip(numbers, squares.tolist(), strict=True):
            found[self.posts.of(number)] += square
            if len(tail):
                found[tail_rows[tail == number]] += square
        found /= self._lengths
        found /= np.sqrt(float(squares.sum()) + unseen)
        return found if mentions.rows == len(mentions.row_of) else found[mentions.row_of]

    def warm(self) -> None:
        _ = self._lengths
