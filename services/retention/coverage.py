"""The policy `coverage`: keep units that show the identifiers the next steps will use, each identifier once.

A unit is a call with its results, or any other chunk; it is taken whole. Identifiers of a session are kept as arrays
and grow with it. What to show an identifier is worth: see `ShownIdentifiers.values`.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from threading import Lock

import numpy as np

from services.retention.identifiers import identifiers_in, parts_of
from services.retention.selection import Basket
from services.retention.session_arrays import BoolArray, ChunkArrays, IntArray, RealArray
from services.retention.units import Units, fill_units

HALF_LIFE = 20  # chunks
UNUSED = 0.3  # of the value of an identifier that no call has used
COMMON = 3  # chunks that may show an identifier before its value falls
SIZE = 0.75  # power of a unit's tokens

_ERROR = re.compile(r"\b(?:error|exception|traceback|fail(?:ed|ure)?|fatal)\b", re.IGNORECASE)
_LONG_ERROR = 400  # identifiers: an output of more is not about the error alone


class ShownIdentifiers:
    """The identifiers of each chunk, as indices into a vocabulary: those of chunk i are
    `terms[starts[i]:starts[i + 1]]`, ascending."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._by_part: dict[str, list[int]] = {}
        self._lock = Lock()  # of the vocabulary
        self.starts: IntArray = np.zeros(1, dtype=np.int64)
        self.terms: IntArray = np.empty(0, dtype=np.int64)
        self.in_error: BoolArray = np.empty(0, dtype=np.bool_)  # a flag a chunk

    def extended(self, texts: Sequence[str]) -> ShownIdentifiers:
        """Return the index with further chunks. The vocabulary is shared: an older index ignores what it lacks."""
        grown = ShownIdentifiers()
        grown._numbers, grown._by_part, grown._lock = self._numbers, self._by_part, self._lock
        with self._lock:
            found = [sorted(map(grown._number, sorted(identifiers_in(text)))) for text in texts]
        sizes = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
        fresh = np.fromiter((term for terms in found for term in terms), dtype=np.int64, count=int(sizes.sum()))
        errors = [
            len(terms) < _LONG_ERROR and bool(_ERROR.search(text)) for text, terms in zip(texts, found, strict=True)
        ]
        grown.starts = np.concatenate((self.starts, self.starts[-1] + np.cumsum(sizes)))
        grown.terms = np.concatenate((self.terms, fresh))
        grown.in_error = np.concatenate((self.in_error, np.array(errors, dtype=np.bool_)))
        return grown

    def of(self, chunk: int) -> IntArray:
        return self.terms[self.starts[chunk] : self.starts[chunk + 1]]

    def values(self, chunks: ChunkArrays, query: str) -> RealArray:
        """Return what it is worth to show each identifier; 0 for those that the query shows.

        (.1 + ln(1 + calls that used it) + 2^(-chunks since the last that showed it / HALF_LIFE) + .5 [shares a part
        with the query] + .5 [was in an error]) * (1 if a call used it, else UNUSED) / (1 + .15 max(0, chunks that show
        it - COMMON)).
        """
        count = len(self._numbers)
        rows = np.repeat(np.arange(len(chunks)), np.diff(self.starts))
        seen = np.bincount(self.terms, minlength=count)
        used = np.bincount(self.terms[chunks.is_call[rows]], minlength=count)
        last = np.zeros(count)
        last[self.terms] = rows  # rows ascend, so that the last one stays
        failed = np.zeros(count, dtype=np.bool_)
        failed[self.terms[self.in_error[rows]]] = True
        asked = identifiers_in(query)
        near = np.zeros(count, dtype=np.bool_)
        for part in {part for name in asked for part in parts_of(name)}:
            near[self._by_part.get(part, [])] = True
        value: RealArray = 0.1 + np.log1p(used) + np.exp2((last - len(chunks)) / HALF_LIFE) + 0.5 * near + 0.5 * failed
        value *= np.where(used > 0, 1.0, UNUSED) / (1 + 0.15 * np.maximum(0, seen - COMMON))
        value[[self._numbers[name] for name in asked if name in self._numbers]] = 0
        return value

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._numbers)
            for part in parts_of(name):
                self._by_part.setdefault(part, []).append(number)
        return number


def fill_covering(basket: Basket, shown: ShownIdentifiers, query: str, *, units: Units) -> RealArray:
    """Take units by falling value of the identifiers not shown yet, over (1 + tokens)^SIZE, until none fits; ties by
    order. Units that show nothing more fill the rest, newest first. Returns the value of each chunk's unit before any
    was taken.

    Lazy greedy: the value of a unit only falls, so one is recomputed when it comes to the top.
    """
    chunks = basket.chunks
    values = shown.values(chunks, query)
    sums = np.concatenate(([0.0], np.cumsum(values[shown.terms])))
    weighed = units.sums(np.diff(sums[shown.starts])) / (1 + units.costs) ** SIZE  # shared identifiers count twice here
    for chunk in basket.order:
        values[shown.of(chunk)] = 0
    open_ones = np.flatnonzero((weighed > 0) & ~basket.taken).tolist()
    waiting = [(-weighed[head], head) for head in open_ones]
    heapq.heapify(waiting)
    while waiting:
        _, head = heapq.heappop(waiting)
        cost = int(units.costs[head])
        if cost > basket.left:
            continue
        members = units.of(head)
        terms = np.unique(np.concatenate([shown.of(chunk) for chunk in members]))
        now = values[terms].sum() / (1 + cost) ** SIZE
        if now <= 0:
            continue
        if waiting and (-now, head) > waiting[0]:
            heapq.heappush(waiting, (-now, head))
            continue
        basket.add(members, leader=head)
        values[terms] = 0
    fill_units(basket, np.arange(len(chunks), dtype=np.float64), units)
    found: RealArray = weighed[units.heads]
    return found
