"""Premises in Neo4j: relationships between chunks, joined with those that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graph.errors import UnknownChunks
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import batches, check_whole, distinct, premise_of, session_of
from graph.neo4j.sessions import the_session
from graph.neo4j.workspaces import one
from graph.premises import (
    HOP_LIMIT,
    PREMISE_GRADES,
    Live,
    Premise,
    PremisesAdded,
    Spread,
    cleaned,
    ends,
    most_live_first,
)

WRITE_BATCH = 1_000


class PremiseQueries:
    """See `graph.premises.Premises`."""

    connection: Connection

    def add_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> PremisesAdded:
        return self.connection.transact(
            lambda run: add_premises(run, workspace, session, premises), mode="write", asked="add_premises"
        )

    def load_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> tuple[int, int]:
        last = {(it.chunk, it.premise): it for it in premises if it.chunk != it.premise}
        rows, named = [_row(it) for it in last.values()], ends(premises)

        def load(run: Run) -> tuple[int, int]:
            done = _put(run, workspace, session, rows, named=named, copy=True)
            return done.added, done.updated

        return self.connection.transact(load, mode="write", asked="load_premises")

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        found = self.connection.read(
            "list_premises",
            lambda rows: [premise_of(row) for row in the_session(one(rows, workspace), workspace, session)["premises"]],
            workspace=workspace,
            session=session,
            chunks=distinct(chunks),
        )
        return tuple(sorted(found, key=lambda it: (it.chunk, it.premise)))

    def live_set(
        self,
        workspace: str,
        session: str,
        *,
        relevance: Mapping[str, float],
        roots: Sequence[str] | None,
        spread: Spread,
        factors: Sequence[float] = (),
        weight: float = 1.0,
        depth: int = HOP_LIMIT,
    ) -> tuple[Live, ...]:
        return self.connection.read(
            "live_set",
            lambda rows: most_live_first(map(_live, the_session(one(rows, workspace), workspace, session)["live"])),
            workspace=workspace,
            session=session,
            relevance=dict(relevance),
            roots=None if roots is None else distinct(roots),
            spread=spread,
            factors=[float(factor) for factor in factors],
            weight=float(weight),
            depth=depth,
        )

    def save_beliefs(self, workspace: str, session: str, premises: Sequence[Premise]) -> int:
        by_chunk: dict[str, dict[str, list[Any]]] = {}
        for it in premises:
            by_chunk.setdefault(it.chunk, {})[it.premise] = [it.belief, list(it.reasons)]
        rows = [{"chunk": chunk, "beliefs": beliefs} for chunk, beliefs in sorted(by_chunk.items())]

        def save(run: Run) -> int:
            noted = 0
            for batch in list(batches(rows, size=WRITE_BATCH)) or [[]]:
                records = run("save_beliefs", workspace=workspace, session=session, rows=batch)
                noted += the_session(one(records, workspace), workspace, session)["noted"]
            return noted

        return self.connection.transact(save, mode="write", asked="save_beliefs")


def add_premises(
    run: Run, workspace: str, session: str, premises: Sequence[Premise], *, fresh_from: int | None = None
) -> PremisesAdded:
    """See `graph.premises.Premises.add_premises`, within the transaction that added the chunks from there on."""
    rows = [_row(it) for it in cleaned(premises).values()]
    return _put(run, workspace, session, rows, named=ends(premises), fresh_from=fresh_from)


def _put(
    run: Run,
    workspace: str,
    session: str,
    rows: Sequence[dict[str, Any]],
    *,
    named: Sequence[str],
    fresh_from: int | None = None,
    copy: bool = False,
) -> PremisesAdded:
    added = updated = 0
    for number, batch in enumerate(list(batches(rows, size=WRITE_BATCH)) or [[]]):
        given = {"ends": [] if number else named, "premises": batch, "fresh_from": fresh_from, "copy": copy}
        records = run("add_premises", workspace=workspace, session=session, **given)
        row = the_session(one(records, workspace), workspace, session)
        if row["unknown"]:
            raise UnknownChunks(session, tuple(sorted(row["unknown"])))
        added += row["added"]
        updated += row["updated"]
    unchanged = len(rows) - added - updated
    return PremisesAdded(session=session_of(row["session"]), added=added, updated=updated, unchanged=unchanged)


def _live(row: Sequence[Any]) -> Live:
    check_whole(*row)
    position, chunk, liveness, path = row
    return Live(chunk=chunk, position=position, liveness=liveness, path=tuple(path))


def _row(it: Premise) -> dict[str, Any]:
    return {
        "chunk": it.chunk,
        "premise": it.premise,
        "grade": it.grade,
        "rank": PREMISE_GRADES.index(it.grade),
        "weight": float(it.weight),
        "belief": it.belief,
        "reasons": list(it.reasons),
    }
