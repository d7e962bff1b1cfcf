"""Select chunks under a token budget by score, one by one or in groups with the premises that they depend on.

Scores come from the policies; nothing here knows a query.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from services.retention.liveness import Layers
from services.retention.session_arrays import BoolArray, ChunkArrays, IntArray, PremiseArrays, RealArray, expand

_SAMPLE = 2_048


def ranked(scores: RealArray, candidates: IntArray) -> IntArray:
    """Return the candidates (ascending) by falling score; a stable sort, so ties keep the order of ingestion."""
    return candidates[np.argsort(-scores[candidates], kind="stable")]


class Ranking:
    """Yields candidates best first, in growing blocks; `close` removes candidates from later blocks."""

    def __init__(self, scores: RealArray, *, block: int = 256) -> None:
        self._scores = scores
        self._open: IntArray | None = None  # None: all
        self._taken: BoolArray | None = None  # those of the last block, removed only if another is needed
        self._block = block

    def blocks(self) -> Iterator[IntArray]:
        while True:
            self._leave_out()
            size = len(self._scores) if self._open is None else len(self._open)
            if not size:
                return
            yield self._next(size)
            self._block *= 2

    def close(self, allowed: BoolArray) -> None:
        """Keep only the candidates for which `allowed` (one flag a chunk) holds."""
        self._leave_out()
        self._open = np.flatnonzero(allowed) if self._open is None else self._open[allowed[self._open]]

    def _next(self, size: int) -> IntArray:
        values = self._scores if self._open is None else self._scores[self._open]
        if size <= 4 * self._block:
            best, self._open = self._all(), np.empty(0, dtype=np.int64)
            return ranked(self._scores, best)
        # Estimate from a sample the score that about `block` candidates reach; any estimate gives an exact order.
        sample = np.sort(values[:: max(size // _SAMPLE, 1)])
        place = max(len(sample) - 1 - round(self._block * len(sample) / size), 0)
        taken = values >= sample[place]
        best = np.flatnonzero(taken) if self._open is None else self._open[taken]
        self._taken = taken
        return ranked(self._scores, best)

    def _leave_out(self) -> None:
        """Remove the last block from the open candidates."""
        if self._taken is not None:
            self._open = np.flatnonzero(~self._taken) if self._open is None else self._open[~self._taken]
            self._taken = None

    def _all(self) -> IntArray:
        return np.arange(len(self._scores)) if self._open is None else self._open


PATIENCE = 8  # leaders that may fail before the rest of a block is filtered by a lower bound on costs
HOPS = 2
NEAR = 8  # chunks: with room for more, a bound over so few hops seldom excludes anything


@dataclass(slots=True, kw_only=True)
class Basket:
    """The chunks taken so far, in order of selection, the leader that each was taken for, and the tokens left.

    `refused` flags chunks whose premises did not fit with them (None: chunks are taken without premises).
    """

    chunks: ChunkArrays
    left: int
    taken: BoolArray
    order: list[int] = field(default_factory=list)
    leaders: list[int] = field(default_factory=list)
    refused: BoolArray | None = None

    def add(self, group: list[int], *, leader: int) -> None:
        for chunk in group:
            self.taken[chunk] = True
            self.left -= int(self.chunks.tokens[chunk])
            self.order.append(chunk)
            self.leaders.append(leader)


def new_basket(chunks: ChunkArrays, *, budget_tokens: int) -> Basket:
    return Basket(chunks=chunks, left=budget_tokens, taken=np.zeros(len(chunks), dtype=np.bool_))


def fill(basket: Basket, scores: RealArray, *, stop: bool) -> None:
    """Take chunks one by one by falling score; `stop` at the first that does not fit, else go on with smaller ones. A
    chunk that did not fit never fits later: the room only shrinks."""
    tokens = basket.chunks.tokens
    ranking = Ranking(scores)
    if basket.order:
        ranking.close(~basket.taken)
    for block in ranking.blocks():
        for chunk, cost in zip(block.tolist(), tokens[block].tolist(), strict=True):
            if cost <= basket.left:
                basket.add([chunk], leader=chunk)
            elif stop:
                return
        if basket.left < tokens.min():
            return
        ranking.close(tokens <= basket.left)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dependencies:
    """Premises as constraints: a chunk is taken with the premises believed at least `cut_below`, if possible also with
    those believed at least `ignore_below`."""

    premises: PremiseArrays
    layers: Layers
    beliefs: RealArray | None = None  # None: all are certain
    ignore_below: float = 0.0
    cut_below: float = 0.0
    least: RealArray | None = None  # `least_costs` of these dependencies, if known

    def strong(self, edges: IntArray | None = None) -> BoolArray:
        """Return a flag for each edge (None: all): it must not be cut."""
        if self.beliefs is None:
            return np.ones(len(self.premises) if edges is None else len(edges), dtype=np.bool_)
        beliefs = self.beliefs if edges is None else self.beliefs[edges]
        return beliefs >= max(self.cut_below, self.ignore_below)


def fill_groups(basket: Basket, scores: RealArray, dependencies: Dependencies) -> None:
    """Take chunks by falling score, each with its dependencies; skip it for good if they do not fit.

    A skipped chunk stays too expensive, and so does every chunk that must have it: what is taken of its group later
    takes as much of the room.
    """
    tokens = basket.chunks.tokens
    least = least_costs(basket.chunks, dependencies) if dependencies.least is None else dependencies.least
    hopeless = least > basket.left + sum(tokens[basket.order].tolist())
    smallest, largest = (int(tokens.min()), int(tokens.max())) if len(tokens) else (0, 0)
    basket.refused = hopeless
    dead, taken = hopeless.data, basket.taken.data
    ranking = Ranking(scores)
    if basket.order:
        ranking.close(~basket.taken)
    for block in ranking.blocks():
        failures, patience = 0, PATIENCE
        for at, (leader, cost) in enumerate(zip(block.tolist(), tokens[block].tolist(), strict=True)):
            if cost > basket.left or dead[leader] or taken[leader]:
                continue
            group = grow(leader, basket, dependencies, hopeless)
            if group:
                basket.add(group, leader=leader)
                continue
            hopeless[leader] = True
            failures += 1
            if failures >= patience and basket.left < NEAR * largest:
                patience *= 3
                rest = block[at + 1 :]
                rest = rest[(tokens[rest] <= basket.left) & ~hopeless[rest] & ~basket.taken[rest]]
                hopeless[rest] |= nearby_costs(rest, basket, dependencies) > basket.left
        if basket.left < smallest:
            return
        ranking.close((tokens <= basket.left) & ~hopeless & ~basket.taken)


def least_costs(chunks: ChunkArrays, dependencies: Dependencies) -> RealArray:
    """Return a lower bound on the token cost of each chunk with its required premises, for an empty selection."""
    return dependencies.layers.costs(chunks.tokens.astype(np.float64), bound=dependencies.strong())


def nearby_costs(leaders: IntArray, basket: Basket, dependencies: Dependencies) -> RealArray:
    """Return a lower bound on the token cost of each leader, from the premises within HOPS that are not taken yet."""
    premises, levels = dependencies.premises, [leaders]
    rows, bound = [], []
    for _ in range(HOPS):
        edges = expand(premises.starts, levels[-1])
        fan = premises.starts[levels[-1] + 1] - premises.starts[levels[-1]]
        rows.append(np.repeat(np.arange(len(levels[-1])), fan))
        bound.append(dependencies.strong(edges))
        levels.append(premises.targets[edges])
    own = [np.where(basket.taken[level], 0.0, basket.chunks.tokens[level]) for level in levels]
    cost = own[-1]
    for row, strong, above, below in zip(rows[::-1], bound[::-1], own[-2::-1], own[:0:-1], strict=True):
        together = np.bincount(row, weights=below * strong, minlength=len(above))
        np.maximum.at(together, row, cost * strong)
        cost = np.where(above > 0, above + together, 0.0)
    return cost


def grow(leader: int, basket: Basket, dependencies: Dependencies, hopeless: BoolArray | None = None) -> list[int]:
    """Return the leader and the premises to take with it, by falling belief, ties by order of ingestion; empty if the
    part that must not be cut does not fit.

    The belief in a chunk is that of the weakest premise on the best path to it: a widest-path search (Dijkstra with
    maximin). Where the group does not fit, the least believed are left out, equals together.
    """
    # Reading single entries of a memoryview is several times faster than of an array.
    starts, targets = dependencies.premises.starts.data, dependencies.premises.targets.data
    tokens, taken = basket.chunks.tokens.data, basket.taken.data
    dead = None if hopeless is None else hopeless.data
    if dependencies.beliefs is None:
        return _closure(leader, starts, targets, tokens, taken, dead, room=basket.left)
    beliefs, room = dependencies.beliefs.data, basket.left
    ignore, cut = dependencies.ignore_below, dependencies.cut_below
    waiting = [(-1.0, leader)]
    seen: set[int] = set()
    group: list[int] = []
    kept, level = 0, 1.0  # size of the group above the present level of belief
    while waiting:
        negative, chunk = heapq.heappop(waiting)
        if chunk in seen:
            continue
        if -negative < level:
            kept, level = len(group), -negative
        seen.add(chunk)
        if taken[chunk]:
            continue  # its premises were taken, or cut, with it
        room -= tokens[chunk]
        if room < 0 or (dead is not None and dead[chunk] and level >= cut):
            return group[:kept] if level < cut else []
        group.append(chunk)
        for edge in range(starts[chunk], starts[chunk + 1]):
            belief, target = beliefs[edge], targets[edge]
            if belief >= ignore and target not in seen:
                heapq.heappush(waiting, (max(negative, -belief), target))
    return group


def _closure(
    leader: int,
    starts: memoryview[int],
    targets: memoryview[int],
    tokens: memoryview[int],
    taken: memoryview,
    dead: memoryview | None,
    *,
    room: int,
) -> list[int]:
    """The leader and all that it depends on, in order of ingestion; empty if they do not fit."""
    room -= tokens[leader]
    if room < 0 or (dead is not None and dead[leader]):
        return []
    waiting, seen = [leader], {leader}
    while waiting:
        chunk = waiting.pop()
        for target in targets[starts[chunk] : starts[chunk + 1]].tolist():
            if target not in seen and not taken[target]:
                room -= tokens[target]  # at the first visit: most groups that do not fit end early
                if room < 0 or (dead is not None and dead[target]):
                    return []
                seen.add(target)
                waiting.append(target)
    return [leader, *sorted(seen - {leader})]
