"""Liveness along premises: one hop, damped hops, personalised PageRank, and the best path within a closure.

All of it is rounds over arrays, without recursion. `selection` takes chunks by the scores made of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from services.retention.session_arrays import BoolArray, IntArray, PremiseArrays, RealArray, expand


def one_hop(relevance: RealArray, premises: PremiseArrays) -> RealArray:
    """Return the sum of the relevance of each chunk's dependents: A^T r, A with a row for each dependent."""
    if not len(premises):
        return np.zeros(premises.count)
    sums = np.bincount(premises.targets, weights=relevance.take(premises.sources), minlength=premises.count)
    return sums.astype(np.float64, copy=False)


def damped_hops(relevance: RealArray, premises: PremiseArrays, *, factors: Sequence[float]) -> RealArray:
    """Return the sum over k of factors[k - 1] (A^T)^k r."""
    total = np.zeros(premises.count)
    wave = relevance
    for factor in factors:
        wave = one_hop(wave, premises)
        if not wave.any():
            break
        total += factor * wave
    return total


def inherited(relevance: RealArray, premises: PremiseArrays, *, gamma: float, depth: int) -> RealArray:
    """Return the largest gamma^(k-1) r of any chunk that needs this one over k hops, for k up to `depth`."""
    best = np.zeros(premises.count)
    wave = relevance
    for step in range(depth):
        following = np.zeros(premises.count)
        np.maximum.at(following, premises.targets, wave[premises.sources])
        if not following.any():
            break
        best = np.maximum(best, gamma**step * following)
        wave = following
    return best


def personalised_pagerank(
    relevance: RealArray, premises: PremiseArrays, *, damping: float, rounds: int = 100
) -> RealArray:
    """Return the PageRank of a walk from chunks to their premises that restarts by relevance, at once without any."""
    total = float(relevance.sum())
    if not total:
        return np.zeros(premises.count)
    restart = relevance / total
    fan = np.diff(premises.starts)
    rank = restart
    for _ in range(rounds):
        moved = one_hop(rank / np.maximum(fan, 1), premises)
        following = damping * (moved + rank[fan == 0].sum() * restart) + (1 - damping) * restart
        if float(np.abs(following - rank).sum()) < 1e-12:
            break
        rank = following
    return rank


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layer:
    """Chunks whose premises all lie in earlier layers; in the one that is `cyclic`, in itself as well.

    Places number the chunks in order of the layers: this one has those from `first` to `last`, by falling number of
    premises. Edges are stored in columns: the first premise of every chunk, the second of the first `heights[1]`
    chunks, and so on; edges beyond the columns follow row by row, from the row's offset in `tails`. A maximum over
    columns takes a third of the time of one over rows, which are short.
    """

    first: int
    last: int
    targets: IntArray  # places
    heights: tuple[int, ...]
    tails: IntArray
    edges: IntArray  # as the premises number them
    weights: RealArray | None
    cyclic: bool = False

    def best(self, values: RealArray) -> RealArray:
        """Return the maximum over each chunk's edges of `values`, one an edge. Overwrites `values`."""
        found, at = values[: self.heights[0]], self.heights[0]
        for height in self.heights[1:]:
            np.maximum(found[:height], values[at : at + height], out=found[:height])
            at += height
        if len(self.tails):
            beyond = found[: len(self.tails)]
            np.maximum(beyond, np.maximum.reduceat(values[at:], self.tails), out=beyond)
        return found

    def rows(self) -> IntArray:
        """Return the chunk of each edge, counted from `first`."""
        columns = [np.arange(height) for height in self.heights]
        beyond = len(self.targets) - sum(self.heights)
        tails = np.repeat(np.arange(len(self.tails)), np.diff(np.append(self.tails, beyond)))
        return np.concatenate((*columns, tails))


COLUMNS = 8


class Layers:
    """Premises in topological layers: below all cycles, the cyclic core, above it; a pass visits each edge once.

    Computed once for a set of premises and used by every query.
    """

    def __init__(self, premises: PremiseArrays, *, weights: RealArray | None = None) -> None:
        """`weights`, one an edge, within 0 and 1; None: all 1."""
        self.premises, self._weights = premises, weights

    @cached_property
    def settled(self) -> tuple[IntArray, list[Layer]]:
        """The chunks in order, those without premises first, and the layers of the others."""
        waves, core = self._waves()
        fan = np.diff(self.premises.starts)
        waves = [wave[np.argsort(-fan[wave], kind="stable")] for wave in waves]
        order = np.concatenate(waves) if waves else np.empty(0, dtype=np.int64)
        place = np.empty(self.premises.count, dtype=np.int64)
        place[order] = np.arange(len(order))
        layers, first = [], len(waves[0]) if waves else 0
        for number, nodes in enumerate(waves[1:], start=1):
            edges, heights, tails = _in_columns(self.premises.starts[nodes], fan[nodes])
            layers.append(
                Layer(
                    first=first,
                    last=first + len(nodes),
                    targets=place[self.premises.targets[edges]],
                    heights=heights,
                    tails=tails,
                    edges=edges,
                    weights=None if self._weights is None else self._weights[edges],
                    cyclic=number == core,
                )
            )
            first += len(nodes)
        return order, layers

    def _waves(self) -> tuple[list[IntArray], int]:
        """Chunks in waves that depend on earlier ones only, and the number of the cyclic wave (-1: none).

        Kahn's topological sort from both ends; what remains between is the chunks on cycles and on paths between them.
        """
        premises = self.premises
        by_target = np.argsort(premises.targets, kind="stable")
        back_starts = np.searchsorted(premises.targets[by_target], np.arange(premises.count + 1))
        back = premises.sources[by_target]
        waiting = np.diff(premises.starts)
        left = waiting > 0
        waves = [np.flatnonzero(~left)]
        while len(waves[-1]):
            freed, times = np.unique(back[expand(back_starts, waves[-1])], return_counts=True)
            waiting[freed] -= times
            waves.append(freed[waiting[freed] == 0])
            left[waves[-1]] = False
        waves.pop() if len(waves) > 1 else None
        # The chunks left reach a cycle. Those that no chunk on a cycle depends on come last, sorted from the top down.
        needed = np.bincount(premises.targets[left[premises.sources]], minlength=premises.count)
        above = [np.flatnonzero(left & (needed == 0))]
        while len(above[-1]):
            left[above[-1]] = False
            met, times = np.unique(premises.targets[expand(premises.starts, above[-1])], return_counts=True)
            needed[met] -= times
            above.append(met[(needed[met] == 0) & left[met]])
        core = np.flatnonzero(left)
        if not len(core):
            return waves, -1
        return [*waves, core, *above[-2::-1]], len(waves)

    def best_below(self, gains: RealArray) -> RealArray:
        """Return, for each chunk, the largest gain among the other chunks that it depends on, times the weights along
        the best path. Gains below 0 count as 0; a chunk without premises has 0.
        """
        order, layers = self.settled
        reach = np.maximum(gains.take(order), 0.0)
        found = np.zeros(len(order))
        for layer in layers:
            here = slice(layer.first, layer.last)
            if layer.cyclic:
                found[here] = _best_on_cycles(layer, reach)
            else:
                values = reach.take(layer.targets)
                if layer.weights is not None:
                    values *= layer.weights
                found[here] = layer.best(values)
            np.maximum(reach[here], found[here], out=reach[here])
        return self._by_chunk(found)

    def costs(self, own: RealArray, *, bound: BoolArray) -> RealArray:
        """Return a lower bound on the cost of each chunk with the premises that it must have (`bound`, a flag an edge):
        the cost of the most expensive path."""
        order, layers = self.settled
        cost = own.take(order)
        for layer in layers:
            values = cost.take(layer.targets)
            values *= bound.take(layer.edges)
            cost[layer.first : layer.last] += layer.best(values)
        return self._by_chunk(cost)

    def _by_chunk(self, settled: RealArray) -> RealArray:
        values = np.empty(len(settled))
        values[self.settled[0]] = settled
        return values


def _best_on_cycles(layer: Layer, reach: RealArray) -> RealArray:
    """Solve the cyclic layer by Bellman-Ford rounds that carry the top two gains with distinct origins.

    A chunk on a cycle reaches itself, and must not count itself among its premises: where the best gain came from
    itself, the second one counts. Tested against plain walks in tests/unit/retention/test_liveness.py
    (`test_best_below_is_the_best_path_to_another_chunk`).
    """
    size = layer.last - layer.first
    core = np.arange(layer.first, layer.last)
    inside = layer.targets >= layer.first
    place = np.where(inside, layer.targets - layer.first, 0)
    factor = np.ones(len(layer.targets)) if layer.weights is None else layer.weights
    rows = layer.rows()
    at = np.concatenate((rows, rows, np.arange(size)))
    own, nobody = reach[core], len(reach)
    first, first_of = own, core
    second, second_of = np.zeros(size), np.full(size, -1)
    for _ in range(2 * size + 2):
        # Candidates of each edge: the two best of its premise, and each chunk's own gain. A premise outside the core
        # has one, its own number as origin: it cannot lead back here.
        values = np.concatenate(
            (
                np.where(inside, first[place], reach[layer.targets]) * factor,
                np.where(inside, second[place], 0) * factor,
                own,
            )
        )
        origins = np.concatenate(
            (np.where(inside, first_of[place], layer.targets), np.where(inside, second_of[place], -1), core)
        )
        # The best by value, ties by the smaller origin; then the best among those of another origin.
        best = np.zeros(size)
        np.maximum.at(best, at, values)
        best_of = np.full(size, nobody)
        top = values == best[at]
        np.minimum.at(best_of, at[top], origins[top])
        other = origins != best_of[at]
        runner = np.zeros(size)
        np.maximum.at(runner, at[other], values[other])
        runner_of = np.full(size, nobody)
        top = other & (values == runner[at])
        np.minimum.at(runner_of, at[top], origins[top])
        state, last = (best, runner, best_of, runner_of), (first, second, first_of, second_of)
        if all(np.array_equal(now, before) for now, before in zip(state, last, strict=True)):
            break
        first, second, first_of, second_of = state
    return np.where(first_of == core, second, first)


def _in_columns(begins: IntArray, fan: IntArray) -> tuple[IntArray, tuple[int, ...], IntArray]:
    """Edges of rows with the given starts and sizes, by falling size: in columns, with their heights, and the tails."""
    heights = [int(np.searchsorted(-fan, -column)) for column in range(min(int(fan[0]), COLUMNS))]
    columns = [begins[:height] + column for column, height in enumerate(heights)]
    beyond = np.maximum(fan - COLUMNS, 0)
    beyond = beyond[: int(np.count_nonzero(beyond))]
    ends = np.cumsum(beyond)
    tails = ends - beyond
    edges = np.repeat(begins[: len(beyond)] + COLUMNS - tails, beyond) + np.arange(int(beyond.sum()))
    return np.concatenate((*columns, edges)), tuple(heights), tails
