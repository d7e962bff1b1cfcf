"""Liveness in Neo4j: queries that run on the stored premises, relevance as a parameter, answers packed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import whole_pairs
from graph.neo4j.sessions import the_session
from graph.neo4j.workspaces import one
from graph.premises import ByPosition

WAVE_LIMIT = 500
"""Chunks up to which all damped hops are one query: every row that it sorts counts the whole wave as its own."""


class LivenessQueries:
    """See `graph.premises.Liveness`."""

    connection: Connection

    def one_hop(self, workspace: str, session: str, relevance: ByPosition) -> ByPosition:
        return self._run("one_hop", workspace, session, answer="heard", relevance=_dense(relevance))

    def damped_hops(
        self, workspace: str, session: str, relevance: ByPosition, *, factors: Sequence[float]
    ) -> ByPosition:
        if len(relevance.positions) > WAVE_LIMIT:
            return self._hop_by_hop(workspace, session, relevance, factors=factors)
        given = {"relevance": _dense(relevance), "factors": [float(factor) for factor in factors]}
        return self._run("damped_hops", workspace, session, answer="heard", **given)

    def closure_gains(self, workspace: str, session: str, gains: ByPosition) -> ByPosition:
        return self._run("closure_gains", workspace, session, answer="best", gains=_dense(gains))

    def _hop_by_hop(
        self, workspace: str, session: str, relevance: ByPosition, *, factors: Sequence[float]
    ) -> ByPosition:
        """The same sums in the same order, a query a hop, in one transaction."""

        def walk(run: Run) -> ByPosition:
            total: dict[int, float] = {}
            wave = relevance
            for factor in factors:
                rows = run("one_hop", workspace=workspace, session=session, relevance=_dense(wave))
                wave = _sparse(the_session(one(rows, workspace), workspace, session)["heard"])
                for position, value in zip(wave.positions.tolist(), wave.values.tolist(), strict=True):
                    total[position] = total.get(position, 0.0) + factor * value
            return _sparse(list(total.items()))

        return self.connection.transact(walk, mode="read", asked="damped_hops")

    def _run(self, query: str, workspace: str, session: str, *, answer: str, **given: list[float]) -> ByPosition:
        def understand(rows: list[Any]) -> ByPosition:
            row: Mapping[str, Any] = the_session(one(rows, workspace), workspace, session)
            return _sparse(row[answer])

        return self.connection.read(query, understand, workspace=workspace, session=session, **given)


def _dense(given: ByPosition) -> list[float]:
    """A list that a query looks a chunk's value up in by its position."""
    values = np.zeros(int(given.positions[-1]) + 1 if len(given.positions) else 0)
    values[given.positions] = given.values
    return values.tolist()


def _sparse(pairs: Sequence[Sequence[Any]]) -> ByPosition:
    found = sorted(pair for pair in whole_pairs(pairs) if pair[1])
    return ByPosition(
        positions=np.array([position for position, _ in found], dtype=np.int64),
        values=np.array([value for _, value in found], dtype=np.float64),
    )
