"""Sessions in Neo4j: made, shown, listed, deleted with all they hold, and read as arrays packed into one record."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np

from graph.errors import UnknownSession
from graph.neo4j.connection import Connection
from graph.neo4j.records import HalfRead, check_whole, session_of, sort_key
from graph.neo4j.workspaces import one
from graph.values import PREMISE_GRADES, Array, Session, SessionContents


class SessionQueries:
    """See `graph.ports.Sessions`."""

    connection: Connection

    def save_session(
        self, workspace: str, session: str, *, incarnation: str, at: datetime, added: int = 0
    ) -> tuple[Session, bool]:
        rows = self.connection.run(
            "save_session",
            workspace=workspace,
            session=session,
            sort_key=sort_key(session),
            incarnation=incarnation,
            at=at,
            added=added,
        )
        row = one(rows, workspace)
        return session_of(row["session"]), row["created"]

    def show_session(self, workspace: str, session: str) -> Session:
        return self.connection.read(
            "show_session",
            lambda rows: session_of(the_session(one(rows, workspace), workspace, session)["session"]),
            workspace=workspace,
            session=session,
        )

    def list_sessions(self, workspace: str, *, after: str | None = None, limit: int = 100) -> tuple[Session, ...]:
        found = self.connection.read(
            "list_sessions",
            lambda rows: [session_of(row) for row in one(rows, workspace)["sessions"]],
            workspace=workspace,
            after=sort_key(after or ""),
            limit=limit,
        )
        return tuple(sorted(found, key=lambda it: it.id))

    def delete_session(self, workspace: str, session: str) -> Session:
        row = one(self.connection.run("delete_session", workspace=workspace, session=session), workspace)
        return session_of(the_session(row, workspace, session)["session"])

    def read_session(self, workspace: str, session: str) -> SessionContents:
        return self.connection.read(
            "read_session",
            lambda rows: _contents(the_session(one(rows, workspace), workspace, session)),
            workspace=workspace,
            session=session,
        )


def the_session(row: Mapping[str, Any], workspace: str, session: str) -> Mapping[str, Any]:
    """The row of a query that found the session."""
    if not row.get("there", True) or ("session" in row.keys() and row["session"] is None):  # noqa: SIM118 - a record
        raise UnknownSession(workspace, session)
    return row


def _contents(row: Mapping[str, Any]) -> SessionContents:
    session = session_of(row["session"])
    columns = [row[name] for name in ("ids", "texts", "positions", "tokens", "pinned", "importance")]
    edges = [row[name] for name in ("sources", "targets", "grades", "weights")]
    whole = {len(column) for column in columns} == {session.chunks} and len(set(map(len, edges))) == 1
    premises = len(edges[0]) + len(row["lost"]) + row["others"]
    if not whole or premises != session.premises or sum(row["tokens"]) != session.tokens:
        raise HalfRead  # a write is just coming into sight
    for pair in row["lost"]:
        check_whole(*pair)
    positions = np.array(row["positions"], dtype=np.int64)
    order = np.argsort(positions)
    positions = positions[order]
    sources, targets = (np.searchsorted(positions, np.array(ends, dtype=np.int64)) for ends in edges[:2])
    by_pair = np.lexsort((targets, sources))
    grades = np.array([PREMISE_GRADES.index(grade) for grade in edges[2]], dtype=np.int8)

    def ordered(name: str, dtype: Any) -> Array:
        values: Array = np.array(row[name], dtype=dtype)[order]
        return values

    return SessionContents(
        session=session,
        ids=tuple(map(row["ids"].__getitem__, order.tolist())),
        texts=tuple(map(row["texts"].__getitem__, order.tolist())),
        positions=positions,
        tokens=ordered("tokens", np.int64),
        pinned=ordered("pinned", np.bool_),
        importance=ordered("importance", np.float64),
        sources=sources[by_pair],
        targets=targets[by_pair],
        grades=grades[by_pair],
        weights=np.array(edges[3], dtype=np.float64)[by_pair],
        lost=tuple(sorted((chunk, premise) for chunk, premise in row["lost"])),
    )
