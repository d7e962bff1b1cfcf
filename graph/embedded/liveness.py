"""Liveness in the embedded store: rounds over the arrays of a session, made from its NetworkX graph.

The same arithmetic, in the same order, as the queries under `cypher/retention`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph.embedded.premises import PremiseOperations
from graph.embedded.sessions import state_of
from graph.embeddings import Array
from graph.premises import ByPosition
from graph.session_contents import SessionContents


class LivenessOperations(PremiseOperations):
    """See `graph.premises.Liveness`."""

    def one_hop(self, workspace: str, session: str, relevance: ByPosition) -> ByPosition:
        with self._reading(workspace) as graph:
            it = state_of(graph, session).contents()
            return _sparse(it, _hop(it, _dense(it, relevance)))

    def damped_hops(
        self, workspace: str, session: str, relevance: ByPosition, *, factors: Sequence[float]
    ) -> ByPosition:
        with self._reading(workspace) as graph:
            it = state_of(graph, session).contents()
            wave = _dense(it, relevance)
            total = np.zeros(len(wave))
            for factor in factors:
                wave = _hop(it, wave)
                total += factor * wave
            return _sparse(it, total)

    def closure_gains(self, workspace: str, session: str, gains: ByPosition) -> ByPosition:
        with self._reading(workspace) as graph:
            it = state_of(graph, session).contents()
            return _sparse(it, _best_below(it, _dense(it, gains)))


def _dense(it: SessionContents, given: ByPosition) -> Array:
    values = np.zeros(len(it.ids))
    places = np.searchsorted(it.positions, given.positions)
    known = places < len(it.ids)
    known[known] = it.positions[places[known]] == given.positions[known]
    values[places[known]] = given.values[known]
    return values


def _sparse(it: SessionContents, values: Array) -> ByPosition:
    places = np.flatnonzero(values)
    return ByPosition(positions=it.positions[places], values=values[places])


def _hop(it: SessionContents, wave: Array) -> Array:
    heard: Array = np.bincount(it.targets, weights=wave[it.sources], minlength=len(it.ids)).astype(np.float64)
    return heard


def _best_below(it: SessionContents, gains: Array) -> Array:
    """From the largest gain down, each is told to all that rest on its chunk; whoever was told of two chunks needs no
    third: one of the two is another than itself, and all above heard of two as well."""
    best = np.zeros(len(gains))
    order = np.argsort(it.targets, kind="stable")
    starts = np.searchsorted(it.targets[order], np.arange(len(gains) + 1))
    above = it.sources[order]
    told = np.zeros(len(gains), dtype=np.int64)
    for chunk in np.argsort(-gains, kind="stable").tolist():
        if gains[chunk] <= 0:
            break
        waiting, seen = [chunk], {chunk}
        while waiting:
            here = waiting.pop()
            for other in above[starts[here] : starts[here + 1]].tolist():
                if other not in seen and told[other] < 2:
                    seen.add(other)
                    waiting.append(other)
                    told[other] += 1
                    best[other] = max(best[other], gains[chunk])
    return best
