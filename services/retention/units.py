"""Units of chunks that are kept or evicted together: a call of a tool with its results, or another chunk by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from services.retention.selection import Basket
from services.retention.session_arrays import (
    OBSERVED,
    BoolArray,
    ChunkArrays,
    IntArray,
    PremiseArrays,
    RealArray,
    make_premises,
    run_starts,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Units:
    """`heads` has for each chunk the call that it is the result of, or the chunk itself."""

    heads: IntArray
    costs: IntArray  # tokens of the unit of each head, 0 elsewhere

    @cached_property
    def _members(self) -> tuple[IntArray, IntArray]:
        """Chunks by head, and where those of each head begin."""
        order = np.argsort(self.heads, kind="stable")
        return order, np.searchsorted(self.heads[order], np.arange(len(self.heads) + 1))

    def of(self, head: int) -> list[int]:
        """Return the chunks of the unit in order of ingestion; empty for a chunk that is no head."""
        order, starts = self._members
        members: list[int] = order[starts[head] : starts[head + 1]].tolist()
        return members

    def sums(self, values: RealArray) -> RealArray:
        """Return the sum of the values of each head's chunks, 0 elsewhere."""
        found: RealArray = np.bincount(self.heads, weights=values, minlength=len(values)).astype(np.float64, copy=False)
        return found

    def largest(self, values: RealArray) -> RealArray:
        """Return the largest of the values of each chunk's unit."""
        order, _ = self._members
        firsts = run_starts(self.heads[order])
        best = np.empty(len(values))
        best[self.heads[order[firsts]]] = np.maximum.reduceat(values[order], firsts)
        found: RealArray = best[self.heads]
        return found

    def whole(self, kept: BoolArray) -> BoolArray:
        """Flag the chunks all of whose unit is kept."""
        gone = np.bincount(self.heads, weights=~kept, minlength=len(kept))
        found: BoolArray = gone[self.heads] == 0
        return found


def single_units(chunks: ChunkArrays) -> Units:
    """Return units of one chunk each."""
    return Units(heads=np.arange(len(chunks)), costs=chunks.tokens)


def units_of(chunks: ChunkArrays) -> Units:
    """Return the units of the calls and results among the chunks."""
    heads = np.where(chunks.calls >= 0, chunks.calls, np.arange(len(chunks)))
    costs = np.bincount(heads, weights=chunks.tokens, minlength=len(chunks)).astype(np.int64)
    return Units(heads=heads, costs=costs)


def calls_answered(kinds: Sequence[str], call_ids: Sequence[str | None]) -> IntArray:
    """Return for each chunk the place of the call that it is the result of, by call id, the latest before it; or -1."""
    latest: dict[str, int] = {}
    calls = np.full(len(kinds), -1)
    for place, (kind, key) in enumerate(zip(kinds, call_ids, strict=True)):
        if key is not None and kind == "call":
            latest[key] = place
        elif key is not None and kind == "result":
            calls[place] = latest.get(key, -1)
    return calls


def with_pairs(premises: PremiseArrays, calls: IntArray) -> PremiseArrays:
    """Return the premises with results as premises of their calls and calls as premises of their results, weight 1."""
    results = np.flatnonzero(calls >= 0)
    sources = np.concatenate((premises.sources, results, calls[results]))
    targets = np.concatenate((premises.targets, calls[results], results))
    return make_premises(
        premises.count,
        np.stack((sources, targets), axis=1),
        weights=np.concatenate((premises.weights, np.ones(2 * len(results)))),
        grades=np.concatenate((premises.grades, np.full(2 * len(results), OBSERVED, dtype=np.int8))),
    )


def fill_units(basket: Basket, scores: RealArray, units: Units, *, stop: bool = False) -> None:
    """Take whole units by the falling score of their best chunk, ties by order of ingestion."""
    if not len(scores):
        return
    heads = np.flatnonzero(units.costs)
    best = units.largest(scores)[heads]
    for head in heads[np.argsort(-best, kind="stable")].tolist():
        if basket.taken[head]:
            continue
        if units.costs[head] <= basket.left:
            basket.add(units.of(head), leader=head)
        elif stop:
            return
