"""The inverted index of a session's terms: which texts mention each, how rare it is, and which mentions it first.

It grows at its end as chunks are added. What shared terms say of a premise is in `features` and `definitions`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, count, groupby, islice

import numpy as np

from services.retention.session_arrays import BoolArray, IntArray, RealArray, expand, find
from services.words import TOKEN, tokens

_STRIDE = 1 << 32  # a (row, token) pair as one number
_IDENTIFIER = re.compile(r"(?=.*[^\W\d_])(?=.*[\d_])|\d{4,}$")
_BREAKS = {code: " " for code in range(128) if not TOKEN.match(chr(code))}
_END = "\0"  # of a text among the words of many
_BREAKS_WITHIN = {code: blank for code, blank in _BREAKS.items() if chr(code) != _END}


def is_identifier(token: str) -> bool:
    """True if it mixes letters with digits or `_`, or is a number of four digits or more."""
    return _IDENTIFIER.match(token) is not None


def cut(text: str) -> list[str]:
    """Return the tokens of a text in order, as `services.words.tokens`; an ASCII text without any gives none."""
    return text.lower().translate(_BREAKS).split() if text.isascii() else tokens(text)


def cut_all(texts: Sequence[str]) -> list[str]:
    """Return the tokens of all texts, each text's followed by _END; ASCII texts are cut many at once, in a quarter of
    the time."""
    words: list[str] = []
    for plain, run in groupby(texts, key=lambda text: text.isascii() and _END not in text):
        if plain:
            words += f" {_END} ".join((*run, "")).lower().translate(_BREAKS_WITHIN).split()
        else:
            words += chain.from_iterable((*cut(text), _END) for text in run)
    return words


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shared:
    """Tokens that both chunks of a pair mention, sorted by pair: the number of the pair, the token, and the entries in
    the first text (`here`) and in the second (`there`)."""

    pairs: IntArray
    tokens: IntArray
    here: IntArray
    there: IntArray


class TermIndex:
    """Distinct texts as rows, tokens as numbers, both in order of first appearance; an entry is a token of a row."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, int] = defaultdict()
        self._numbers: defaultdict[str, int] = defaultdict()
        self.row_of: IntArray = np.empty(0, dtype=np.int64)  # by chunk
        self.starts: IntArray = np.zeros(1, dtype=np.int64)  # by row, into the entries
        self.keys: IntArray = np.empty(0, dtype=np.int64)  # by entry: row and token, sorted, each once
        self.tokens: IntArray = np.empty(0, dtype=np.int64)  # by entry
        self.places: RealArray = np.empty(0)  # by entry: how far on in its text, 0 to 1
        self.frequency: IntArray = np.empty(0, dtype=np.int64)  # by token: rows that mention it
        self.first_row: IntArray = np.empty(0, dtype=np.int64)  # by token
        self.identifier: BoolArray = np.empty(0, dtype=np.bool_)  # by token
        self.number: BoolArray = np.empty(0, dtype=np.bool_)  # by token: digits only
        self.first_chunk: IntArray = np.empty(0, dtype=np.int64)  # by row

    @property
    def rows(self) -> int:
        return len(self.starts) - 1

    def rows_of(self, entries: IntArray) -> IntArray:
        return self.keys.take(entries) >> 32

    def number_of(self, token: str) -> int:
        """Return the token's number, -1 if no chunk mentions it."""
        number = self._numbers.get(token, -1)
        return number if number < len(self.frequency) else -1  # a later copy may share the look-up

    def names(self) -> list[str]:
        """Return the tokens by number."""
        return list(islice(self._numbers, len(self.frequency)))

    def extended(self, texts: Sequence[str]) -> TermIndex:
        """Return a copy with further chunks at its end."""
        grown = TermIndex()
        old_chunks, old_rows, old_tokens = len(self.row_of), self.rows, len(self.frequency)
        # The dictionaries only grow, so the first copy shares them. A second copy of the same index must not see the
        # numbers that the first one added, and takes a filtered copy (see `_owned`).
        grown._rows, grown._numbers = _owned(self._rows, old_rows), _owned(self._numbers, old_tokens)
        rows = grown._rows
        placed = np.fromiter((rows.setdefault(text, len(rows)) for text in texts), dtype=np.int64, count=len(texts))
        fresh, at = np.unique(placed, return_index=True)
        at = at[fresh >= old_rows]
        flat, lengths = _number(cut_all([texts[i] for i in at.tolist()]), grown._numbers)
        begins = np.cumsum(lengths) - lengths
        # Sort (row, token) pairs: each distinct pair once, with the place of its first occurrence in the reading order.
        keys, read = np.unique(np.repeat(np.arange(len(lengths)), lengths) * _STRIDE + flat, return_index=True)
        row, tokens, size = keys >> 32, keys % _STRIDE, len(grown._numbers)
        firsts = np.full(size - old_tokens, old_rows + len(lengths))
        born = tokens >= old_tokens  # the first row of a new token is the smallest row that mentions it
        np.minimum.at(firsts, tokens[born] - old_tokens, old_rows + row[born])
        names = list(grown._numbers) if not old_tokens else _last(grown._numbers, size - old_tokens)
        grown.row_of = np.concatenate((self.row_of, placed))
        grown.first_chunk = np.concatenate((self.first_chunk, old_chunks + at))
        grown.keys = np.concatenate((self.keys, keys + old_rows * _STRIDE))
        grown.tokens = np.concatenate((self.tokens, tokens))
        grown.places = np.concatenate((self.places, (read - begins[row]) / lengths[row]))
        grown.starts = np.concatenate(
            (self.starts, len(self.tokens) + np.cumsum(np.bincount(row, minlength=len(lengths))))
        )
        grown.frequency = np.bincount(tokens, minlength=size)
        grown.frequency[:old_tokens] += self.frequency
        grown.first_row = np.concatenate((self.first_row, firsts))
        grown.identifier = np.concatenate((self.identifier, _marks(names, is_identifier)))
        grown.number = np.concatenate((self.number, _marks(names, str.isdigit)))
        return grown

    def shared(self, left: IntArray, right: IntArray) -> Shared:
        """Return the tokens that the chunks of each pair share; two chunks with the same text share none."""
        a, b = self.row_of[left], self.row_of[right]
        pair = np.repeat(np.arange(len(a)), np.diff(self.starts)[a])
        here = expand(self.starts, a)
        common = (self.frequency[self.tokens[here]] > 1) & (a != b)[pair]
        pair, here = pair[common], here[common]
        there = find(self.keys, b[pair] * _STRIDE + self.tokens[here])
        met = there >= 0
        return Shared(pairs=pair[met], tokens=self.tokens[here[met]], here=here[met], there=there[met])

    def chance(self) -> RealArray:
        """Return, by token, an upper bound on the chance that two random texts share a token as rare as it.

        A union bound over the tokens at most as frequent in its class, identifiers or other words; hence the factor 2.
        """
        texts = max(self.rows, 2)
        meet = self.frequency * (self.frequency - 1) / (texts * (texts - 1))
        chance = np.empty(len(self.frequency))
        for members in (self.identifier, ~self.identifier):
            by_frequency = np.bincount(self.frequency[members], weights=meet[members])
            chance[members] = np.cumsum(by_frequency)[self.frequency[members]]
        return np.minimum(2 * chance, 1.0)


def _owned(numbers: defaultdict[str, int], size: int) -> defaultdict[str, int]:
    if len(numbers) == size:
        return numbers
    return defaultdict(None, {name: number for name, number in numbers.items() if 0 <= number < size})


def _last(numbers: dict[str, int], size: int) -> list[str]:
    names = [name for name, _ in zip(reversed(numbers), range(size), strict=False)]
    return names[::-1]


def _marks(names: Sequence[str], test: Callable[[str], bool]) -> BoolArray:
    return np.fromiter(map(test, names), dtype=np.bool_, count=len(names))


def _number(words: list[str], numbers: defaultdict[str, int]) -> tuple[IntArray, IntArray]:
    """Return token numbers in reading order, a new token taking the next one, and the number of tokens of each text."""
    numbers.default_factory = count(len(numbers)).__next__  # `__next__` as the factory keeps the loop in C
    numbers[_END] = -1
    found = np.fromiter(map(numbers.__getitem__, words), dtype=np.int64, count=len(words))
    numbers.default_factory = None
    del numbers[_END]
    ends = np.flatnonzero(found < 0)
    return found[found >= 0], np.diff(ends, prepend=-1) - 1
