"""Which words the chunks of a session mention, how rare each is, and which chunk mentions it first.

It grows at its end as chunks are added; what two chunks share is looked up here, what that says belongs to `evidence`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

from services.retention.chunks import BoolArray, IntArray, RealArray
from services.retention.hashing import any_tokens
from services.retention.liveness import expand

_WORDS = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"(?=.*[^\W\d_])(?=.*[\d_])|\d{4,}$")


def is_identifier(token: str) -> bool:
    """It mixes letters with digits or `_`, or is a number of four digits or more."""
    return _IDENTIFIER.match(token) is not None


def find(keys: IntArray, wanted: IntArray) -> IntArray:
    """Where in the sorted keys each wanted one stands, -1 where it does not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shared:
    """Tokens that both chunks of a pair mention; `later_there`: the second says it further on in its text."""

    pairs: IntArray
    tokens: IntArray
    later_there: BoolArray


class Mentions:
    """Distinct texts as rows, tokens as numbers, both in order of first appearance."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self.row_of: IntArray = np.empty(0, dtype=np.int64)  # by chunk
        self.starts: IntArray = np.zeros(1, dtype=np.int64)  # by row, into `tokens`
        self.tokens: IntArray = np.empty(0, dtype=np.int64)  # sorted within a row, each once
        self.places: RealArray = np.empty(0)  # beside `tokens`: how far on in its text, 0 to 1
        self.frequency: IntArray = np.empty(0, dtype=np.int64)  # rows that mention a token
        self.first_row: IntArray = np.empty(0, dtype=np.int64)  # by token
        self.identifier: BoolArray = np.empty(0, dtype=np.bool_)  # by token
        self.number: BoolArray = np.empty(0, dtype=np.bool_)  # by token: digits only
        self.first_chunk: IntArray = np.empty(0, dtype=np.int64)  # by row

    @property
    def rows(self) -> int:
        return len(self.starts) - 1

    def extended(self, texts: Sequence[str]) -> Mentions:
        """A copy with further chunks at its end; arrays are shared where nothing is added to them."""
        grown = Mentions()
        # The two look-ups only ever grow, and numbers beyond a copy's arrays mean nothing to it; but a copy that
        # branched off earlier must not find another branch's numbers, so each copy has its own.
        grown._rows, grown._numbers = dict(self._rows), dict(self._numbers)
        old_chunks, old_rows, old_tokens = len(self.row_of), self.rows, len(self.frequency)
        rows = grown._rows
        placed = np.fromiter((rows.setdefault(text, len(rows)) for text in texts), dtype=np.int64, count=len(texts))
        grown.row_of = np.concatenate((self.row_of, placed))
        fresh, at = np.unique(placed, return_index=True)
        new = fresh >= old_rows
        grown.first_chunk = np.concatenate((self.first_chunk, old_chunks + at[new]))
        bags = [_cut(text) for text in (texts[i] for i in at[new].tolist())]
        flat = _number(bags, grown._numbers)
        row = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
        size = len(grown._numbers)
        begins = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(bags)))))
        keys, read = np.unique(row * max(size, 1) + flat, return_index=True)
        places = (read - begins[row[read]]) / np.diff(begins)[row[read]]
        row, tokens = keys // max(size, 1), keys % max(size, 1)
        grown.tokens = np.concatenate((self.tokens, tokens))
        grown.places = np.concatenate((self.places, places))
        grown.starts = np.concatenate((self.starts, len(self.tokens) + np.cumsum(np.bincount(row, minlength=len(bags)))))
        grown.frequency = np.bincount(tokens, minlength=size)
        grown.frequency[:old_tokens] += self.frequency
        firsts = np.full(size - old_tokens, old_rows + len(bags))
        born = tokens >= old_tokens
        np.minimum.at(firsts, tokens[born] - old_tokens, old_rows + row[born])
        grown.first_row = np.concatenate((self.first_row, firsts))
        names = list(grown._numbers)[old_tokens:] if old_tokens else list(grown._numbers)
        for kind, test in (("identifier", is_identifier), ("number", str.isdigit)):
            marks = np.fromiter(map(test, names), dtype=np.bool_, count=len(names))
            setattr(grown, kind, np.concatenate((getattr(self, kind), marks)))
        return grown

    def shared(self, left: IntArray, right: IntArray) -> Shared:
        """Per pair of chunks the tokens that both mention, sorted by pair; two chunks of one text share nothing."""
        a, b = self.row_of[left], self.row_of[right]
        pair = np.repeat(np.arange(len(a)), np.diff(self.starts)[a])
        here = expand(self.starts, a)
        token = self.tokens[here]
        known = (self.frequency[token] > 1) & (a != b)[pair]
        pair, token, here = pair[known], token[known], here[known]
        size = max(len(self.frequency), 1)
        keys = np.repeat(np.arange(self.rows), np.diff(self.starts)) * size + self.tokens
        there = find(keys, b[pair] * size + token)
        met = there >= 0
        return Shared(
            pairs=pair[met], tokens=token[met], later_there=self.places[there[met]] > self.places[here[met]]
        )

    def chance(self) -> RealArray:
        """Per token: an upper bound on the chance that two random texts share a token as rare as it.

        The bound adds up over the rarer tokens of its class, identifiers apart from other words; hence twice that.
        """
        texts = max(self.rows, 2)
        meet = self.frequency * (self.frequency - 1) / (texts * (texts - 1))
        chance = np.empty(len(self.frequency))
        for members in (self.identifier, ~self.identifier):
            by_frequency = np.bincount(self.frequency[members], weights=meet[members])
            chance[members] = np.cumsum(by_frequency)[self.frequency[members]]
        return np.minimum(2 * chance, 1.0)


def _cut(text: str) -> list[str]:
    return _WORDS.findall(text.lower()) if text.isascii() else any_tokens(text)


def _number(bags: list[list[str]], numbers: dict[str, int]) -> IntArray:
    """Token numbers in reading order; a new token takes the next number."""
    size = sum(map(len, bags))
    known = len(numbers)
    # setdefault with a running count is one call in C a token; its gaps are closed afterwards
    loose = np.fromiter(map(numbers.setdefault, chain.from_iterable(bags), count(known)), dtype=np.int64, count=size)
    fresh = list(numbers)[known:]
    if fresh:
        spread = np.fromiter((numbers[token] for token in fresh), dtype=np.int64, count=len(fresh))
        dense = np.arange(known + size)
        dense[spread] = np.arange(known, known + len(fresh))
        loose = dense[loose]
        numbers.update(zip(fresh, range(known, known + len(fresh)), strict=True))
    return loose
