"""Premises in Neo4j: relationships between chunks, merged with those that are stored."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graph.errors import UnknownChunks
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import PREMISE, SESSION, check_whole, distinct
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


class PremiseQueries:
    """See `graph.premises.Premises`."""

    connection: Connection

    def add_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> PremisesAdded:
        return self._put(workspace, session, cleaned(premises).values(), named=ends(premises), asked="add_premises")

    def load_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> tuple[int, int]:
        last = {(it.chunk, it.premise): it for it in premises if it.chunk != it.premise}
        done = self._put(workspace, session, last.values(), named=ends(premises), copy=True, asked="load_premises")
        return done.added, done.updated

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        found = self.connection.read(
            "list_premises",
            lambda row: [PREMISE.read(each) for each in row["premises"]],
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
            lambda row: most_live_first(map(_live, row["live"])),
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
            batches = self.connection.batches(rows)
            return sum(run("save_beliefs", workspace=workspace, session=session, rows=it)["noted"] for it in batches)

        return self.connection.transact(save, mode="write", asked="save_beliefs")

    def _put(
        self,
        workspace: str,
        session: str,
        premises: Iterable[Premise],
        *,
        named: Sequence[str],
        asked: str,
        copy: bool = False,
    ) -> PremisesAdded:
        batches = self.connection.batches(premise_rows(premises))
        return self.connection.transact(
            lambda run: put_premises(run, workspace, session, batches, named=named, copy=copy),
            mode="write",
            asked=asked,
        )


def premise_rows(premises: Iterable[Premise]) -> list[dict[str, Any]]:
    return [PREMISE.write(it, rank=PREMISE_GRADES.index(it.grade)) for it in premises]


def put_premises(
    run: Run,
    workspace: str,
    session: str,
    batches: Sequence[Sequence[dict[str, Any]]],
    *,
    named: Sequence[str],
    fresh_from: int | None = None,
    copy: bool = False,
) -> PremisesAdded:
    """Store rows of premises between the chunks `named`, in a transaction that may have added the chunks from the
    position `fresh_from` on."""
    added = updated = 0
    for number, batch in enumerate(batches):
        given = {"ends": [] if number else named, "premises": batch, "fresh_from": fresh_from, "copy": copy}
        row = run("add_premises", workspace=workspace, session=session, **given)
        if row["unknown"]:
            raise UnknownChunks(session, tuple(sorted(row["unknown"])))
        added += row["added"]
        updated += row["updated"]
    unchanged = sum(map(len, batches)) - added - updated
    return PremisesAdded(session=SESSION.read(row["session"]), added=added, updated=updated, unchanged=unchanged)


def _live(row: Sequence[Any]) -> Live:
    check_whole(*row)
    position, chunk, liveness, path = row
    return Live(chunk=chunk, position=position, liveness=liveness, path=tuple(path))
