"""How liveness runs along premises: one hop, damped hops, personalised PageRank, and the best path of a closure.

All of it is rounds over arrays, without recursion; which chunks are then taken belongs to `selection`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from services.retention.chunks import IntArray, RealArray
from services.retention.premises import Premises


def one_hop(relevance: RealArray, premises: Premises) -> RealArray:
    """What each chunk gets from those that need it: the sum of its dependents' relevance."""
    if not len(premises):
        return np.zeros(premises.count)
    return np.bincount(premises.targets, weights=relevance[premises.sources], minlength=premises.count)


def damped_hops(relevance: RealArray, premises: Premises, *, gamma: float, depth: int) -> RealArray:
    """sum over k of gamma^(k-1) (A^T)^k r, for k up to `depth`."""
    total = np.zeros(premises.count)
    wave = relevance
    for step in range(depth):
        wave = one_hop(wave, premises)
        if not wave.any():
            break
        total += gamma**step * wave
    return total


def inherited(relevance: RealArray, premises: Premises, *, gamma: float, depth: int) -> RealArray:
    """The largest gamma^(k-1) r of any chunk that needs this one over k hops, for k up to `depth`."""
    best = np.zeros(premises.count)
    wave = relevance
    for step in range(depth):
        heard = np.zeros(premises.count)
        np.maximum.at(heard, premises.targets, wave[premises.sources])
        if not heard.any():
            break
        best = np.maximum(best, gamma**step * heard)
        wave = heard
    return best


def personalised_pagerank(relevance: RealArray, premises: Premises, *, damping: float, rounds: int = 100) -> RealArray:
    """The walk that restarts by relevance and moves from a chunk to its premises; one without any restarts at once."""
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
            return following
        rank = following
    return rank


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stratum:
    """Chunks whose premises are all settled by the strata before it, with their edges."""

    nodes: IntArray
    targets: IntArray
    edges: IntArray
    offsets: IntArray


class Strata:
    """Premises cut into layers: below all cycles, the cyclic core, above it; every edge is then looked at once.

    Kept with the premises, so that a query pays for its arithmetic alone.
    """

    def __init__(self, premises: Premises) -> None:
        self.premises = premises

    @cached_property
    def _reversed(self) -> tuple[IntArray, IntArray]:
        order = np.argsort(self.premises.targets, kind="stable")
        starts = np.searchsorted(self.premises.targets[order], np.arange(self.premises.count + 1))
        return starts, self.premises.sources[order]

    @cached_property
    def layers(self) -> tuple[list[Stratum], IntArray, list[Stratum]]:
        """Strata below all cycles, the chunks of the cyclic core, strata above it."""
        premises = self.premises
        waiting = np.diff(premises.starts)
        settled = waiting == 0
        below = []
        back_starts, back = self._reversed
        wave = np.flatnonzero(settled)
        while len(wave):
            freed, times = np.unique(back[expand(back_starts, wave)], return_counts=True)
            waiting[freed] -= times
            wave = freed[waiting[freed] == 0]
            settled[wave] = True
            if len(wave):
                below.append(self._stratum(wave))
        # The chunks left reach a cycle. Those that no chunk on a cycle needs are settled last, from the top down.
        left = ~settled
        needed = np.bincount(premises.targets[left[premises.sources]], minlength=premises.count)
        wave = np.flatnonzero(left & (needed == 0))
        above = []
        while len(wave):
            left[wave] = False
            above.append(self._stratum(wave))
            met, times = np.unique(premises.targets[expand(premises.starts, wave)], return_counts=True)
            needed[met] -= times
            wave = met[(needed[met] == 0) & left[met]]
        return below, np.flatnonzero(left), above[::-1]

    def _stratum(self, nodes: IntArray) -> Stratum:
        sizes = np.diff(self.premises.starts)[nodes]
        edges = expand(self.premises.starts, nodes)
        return Stratum(
            nodes=nodes,
            targets=self.premises.targets[edges],
            edges=edges,
            offsets=np.concatenate(([0], np.cumsum(sizes)[:-1])),
        )

    def best_below(self, gains: RealArray, *, weights: RealArray | None = None) -> RealArray:
        """For each chunk the largest gain among the others its closure holds, times the weights on the best path.

        Gains below 0 count as 0, and 0 is the answer where a chunk rests on nothing. Weights (one an edge) lie
        within 0 and 1; None means 1.
        """
        below, core, above = self.layers
        found = np.zeros(self.premises.count)
        reach = np.maximum(gains, 0.0)
        for stratum in below:
            _settle(stratum, reach, found, weights)
        if len(core):
            self._settle_core(core, reach, found, weights)
        for stratum in above:
            _settle(stratum, reach, found, weights)
        return found

    def _settle_core(self, core: IntArray, reach: RealArray, found: RealArray, weights: RealArray | None) -> None:
        """The chunks on cycles, by rounds that carry the two best gains of different origin: a chunk must not
        count itself among its premises.
        """
        stratum = self._stratum(core)
        inside = np.full(self.premises.count, -1)
        inside[core] = np.arange(len(core))
        place = np.where(inside[stratum.targets] >= 0, inside[stratum.targets], 0)
        outside = inside[stratum.targets] < 0
        factor = np.ones(len(stratum.edges)) if weights is None else weights[stratum.edges]
        rows = np.repeat(np.arange(len(core)), np.diff(np.append(stratum.offsets, len(stratum.edges))))
        own = reach[core]
        first, first_of = own.copy(), core.copy()
        second, second_of = np.zeros(len(core)), np.full(len(core), -1)
        for _ in range(2 * len(core) + 2):
            # Per edge the two best that its premise can offer; from outside the core an origin never comes back.
            values = np.concatenate(
                (
                    np.where(outside, reach[stratum.targets], first[place]) * factor,
                    np.where(outside, 0, second[place]) * factor,
                    own,
                )
            )
            origins = np.concatenate(
                (np.where(outside, stratum.targets, first_of[place]), np.where(outside, -1, second_of[place]), core)
            )
            at = np.concatenate((rows, rows, np.arange(len(core))))
            best = np.zeros(len(core))
            np.maximum.at(best, at, values)
            best_of = np.full(len(core), self.premises.count)
            top = values == best[at]
            np.minimum.at(best_of, at[top], origins[top])
            other = origins != best_of[at]
            runner = np.zeros(len(core))
            np.maximum.at(runner, at[other], values[other])
            runner_of = np.full(len(core), self.premises.count)
            top = other & (values == runner[at])
            np.minimum.at(runner_of, at[top], origins[top])
            state, last = (best, runner, best_of, runner_of), (first, second, first_of, second_of)
            if all(np.array_equal(now, before) for now, before in zip(state, last, strict=True)):
                break
            first, second, first_of, second_of = state
        found[core] = np.where(first_of == core, second, first)
        reach[core] = np.maximum(own, found[core])


def _settle(stratum: Stratum, reach: RealArray, found: RealArray, weights: RealArray | None) -> None:
    values = reach[stratum.targets]
    if weights is not None:
        values *= weights[stratum.edges]
    best = np.maximum.reduceat(values, stratum.offsets)
    found[stratum.nodes] = best
    reach[stratum.nodes] = np.maximum(reach[stratum.nodes], best)


def expand(starts: IntArray, rows: IntArray) -> IntArray:
    """The entries of several rows of a row-sorted array, one row after the other."""
    sizes = starts[rows + 1] - starts[rows]
    total = int(sizes.sum())
    shifts = np.repeat(starts[rows] - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes)
    return np.arange(total) + shifts if total else np.empty(0, dtype=np.int64)
