"""Sessions in Neo4j: created, listed, deleted with their contents, and read as arrays packed into one record."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from graph.chunks import CHUNK_KINDS, CHUNK_ROLES
from graph.embeddings import Array
from graph.neo4j.connection import Connection
from graph.neo4j.mapping import SESSION, HalfRead, check_whole, sort_key
from graph.premises import PREMISE_GRADES
from graph.session_contents import SessionContents
from graph.sessions import Session


class SessionQueries:
    """See `graph.sessions.Sessions`."""

    connection: Connection

    def save_session(
        self, workspace: str, session: str, *, incarnation: str, at: datetime, added: int = 0
    ) -> tuple[Session, bool]:
        row = self.connection.run(
            "save_session",
            workspace=workspace,
            session=session,
            sort_key=sort_key(session),
            incarnation=incarnation,
            at=at,
            added=added,
        )
        return SESSION.read(row["session"]), row["created"]

    def show_session(self, workspace: str, session: str) -> Session:
        return self.connection.read(
            "show_session",
            lambda row: SESSION.read(row["session"]),
            workspace=workspace,
            session=session,
        )

    def list_sessions(self, workspace: str, *, after: str | None = None, limit: int = 100) -> tuple[Session, ...]:
        found = self.connection.read(
            "list_sessions",
            lambda row: [SESSION.read(each) for each in row["sessions"]],
            workspace=workspace,
            after=sort_key(after or ""),
            limit=limit,
        )
        return tuple(sorted(found, key=lambda it: it.id))

    def delete_session(self, workspace: str, session: str) -> Session:
        return SESSION.read(self.connection.run("delete_session", workspace=workspace, session=session)["session"])

    def read_session(self, workspace: str, session: str) -> SessionContents:
        return self.connection.read("read_session", _contents, workspace=workspace, session=session, position=0)

    def read_added(self, workspace: str, session: str, *, since: SessionContents) -> SessionContents:
        grown = self.connection.read(
            "read_session",
            lambda row: _grown(since, row),
            workspace=workspace,
            session=session,
            position=since.session.added,
        )
        return self.read_session(workspace, session) if grown is None else grown


_COLUMNS = ("ids", "texts", "kinds", "roles", "call_ids", "positions", "tokens", "pinned", "importance")


def _contents(row: Mapping[str, Any]) -> SessionContents:
    return _read(row, others=row["others"])


def _grown(since: SessionContents, row: Mapping[str, Any]) -> SessionContents | None:
    """Return what was read before with what was added since; None where more than that was changed."""
    before = since.session
    if (
        row["session"]["incarnation"] != before.incarnation
        or not row["revision"] <= before.version <= row["session"]["version"]
    ):
        return None
    try:
        return _read(row, others=before.premises - len(since.sources) - len(since.lost), since=since)
    except HalfRead:
        return None


def _read(row: Mapping[str, Any], *, others: int, since: SessionContents | None = None) -> SessionContents:
    session = SESSION.read(row["session"])
    old = _NOTHING if since is None else since
    columns = [row[name] for name in _COLUMNS]
    edges = [row[name] for name in ("sources", "targets", "grades", "weights")]
    whole = {len(old.ids) + len(column) for column in columns} == {session.chunks} and len(set(map(len, edges))) == 1
    premises = len(old.sources) + len(edges[0]) + len(old.lost) + len(row["lost"]) + others
    tokens = int(old.tokens.sum()) + sum(row["tokens"])
    if not whole or premises != session.premises or tokens != session.tokens:
        raise HalfRead  # a concurrent write is seen in part
    for pair in row["lost"]:
        check_whole(*pair)
    fresh = np.array(row["positions"], dtype=np.int64)
    order = np.argsort(fresh)
    positions = np.concatenate((old.positions, fresh[order]))
    sources, targets = (np.searchsorted(positions, np.array(ends, dtype=np.int64)) for ends in edges[:2])
    by_pair = np.lexsort((targets, sources))
    grades = np.array([PREMISE_GRADES.index(grade) for grade in edges[2]], dtype=np.int8)

    def joined(name: str, values: Sequence[object] | None = None) -> Array:
        before: Array = getattr(old, name)
        fresh = row[name] if values is None else values
        return np.concatenate((before, np.array(fresh, dtype=before.dtype)[order]))

    return SessionContents(
        session=session,
        ids=old.ids + tuple(map(row["ids"].__getitem__, order.tolist())),
        texts=old.texts + tuple(map(row["texts"].__getitem__, order.tolist())),
        kinds=joined("kinds", [CHUNK_KINDS.index(it) for it in row["kinds"]]),
        roles=joined("roles", [CHUNK_ROLES.index(it) if it else -1 for it in row["roles"]]),
        call_ids=old.call_ids + tuple(row["call_ids"][place] or None for place in order.tolist()),
        positions=positions,
        tokens=joined("tokens"),
        pinned=joined("pinned"),
        importance=joined("importance"),
        sources=np.concatenate((old.sources, sources[by_pair])),
        targets=np.concatenate((old.targets, targets[by_pair])),
        grades=np.concatenate((old.grades, grades[by_pair])),
        weights=np.concatenate((old.weights, np.array(edges[3], dtype=np.float64)[by_pair])),
        lost=tuple(sorted((*old.lost, *((chunk, premise) for chunk, premise in row["lost"])))),
    )


_WHOLE, _REAL = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
_NOTHING = SessionContents(
    session=Session(id="", incarnation="", created_at=datetime.min.replace(tzinfo=UTC)),
    ids=(),
    texts=(),
    kinds=np.empty(0, dtype=np.int8),
    roles=np.empty(0, dtype=np.int8),
    call_ids=(),
    positions=_WHOLE,
    tokens=_WHOLE,
    pinned=np.empty(0, dtype=np.bool_),
    importance=_REAL,
    sources=_WHOLE,
    targets=_WHOLE,
    grades=np.empty(0, dtype=np.int8),
    weights=_REAL,
)
