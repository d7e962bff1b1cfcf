"""TF-IDF cosines of a query and each chunk over the session's term index: identifiers whole, each term counted once.

Kept apart from `services.lexical`: with its words and counts instead, `default` keeps the full chain in 9 scenarios
fewer of `docs/studies` and in none more (own 343 to 339, words 245 to 241, weak 70 to 69).
"""

from functools import cached_property

import numpy as np

from services.retention.beliefs.definitions import sum_rows
from services.retention.beliefs.term_index import TermIndex, cut
from services.retention.session_arrays import IntArray, RealArray


class Posts:
    """Postings: the rows that mention each token, up to row `until`."""

    def __init__(self, terms: TermIndex) -> None:
        order = np.argsort(terms.tokens, kind="stable")
        self.rows = terms.rows_of(order)
        self.starts = np.concatenate(([0], np.cumsum(np.bincount(terms.tokens, minlength=len(terms.frequency)))))
        self.until = terms.rows

    def of(self, token: int) -> IntArray:
        if token >= len(self.starts) - 1:
            return self.rows[:0]
        return self.rows[self.starts[token] : self.starts[token + 1]]


class TermCosines:
    """Cosines of one state of a session. `posts` of an earlier state are reused while few rows were added since."""

    def __init__(self, terms: TermIndex, *, posts: Posts | None = None) -> None:
        self._terms = terms
        stale = posts is None or terms.rows - posts.until > max(1_000, posts.until // 8)
        self.posts = Posts(terms) if posts is None or stale else posts

    @cached_property
    def _rarity(self) -> RealArray:
        return np.log((1 + self._terms.rows) / (1 + self._terms.frequency)) + 1

    @cached_property
    def _lengths(self) -> RealArray:
        sums = sum_rows((self._rarity**2)[self._terms.tokens], self._terms.starts)
        return np.sqrt(np.maximum(sums, 1e-12))

    def score(self, query: str) -> RealArray:
        """Return the cosine of each chunk; words that no chunk mentions count in the query's length alone."""
        terms = self._terms
        asked = sorted(set(cut(query)))
        numbers = [number for word in asked if (number := terms.number_of(word)) >= 0]
        unseen = float(np.log(1 + terms.rows) + 1) ** 2 * (len(asked) - len(numbers))
        if not numbers:
            return np.zeros(len(terms.row_of))
        squares = self._rarity[numbers] ** 2
        found = np.zeros(terms.rows)
        late = terms.starts[self.posts.until]
        tail, tail_rows = terms.tokens[late:], terms.keys[late:] >> 32
        for number, square in zip(numbers, squares.tolist(), strict=True):
            found[self.posts.of(number)] += square
            if len(tail):
                found[tail_rows[tail == number]] += square
        found /= self._lengths
        found /= np.sqrt(float(squares.sum()) + unseen)
        return found if terms.rows == len(terms.row_of) else found[terms.row_of]

    def warm(self) -> None:
        _ = self._lengths
