"""One session in memory: its chunks by id and position, its archive and tombstones, and its counts.

Premises are edges of the workspace's NetworkX graph; the arrays that are read are made from both, once a version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

import networkx as nx
import numpy as np

from graph.chunks import CHUNK_KINDS, CHUNK_ROLES, Chunk, Tombstone
from graph.embedded.kinds import Vector, key_of
from graph.premises import PREMISE_GRADES, Premise
from graph.session_contents import SessionContents
from graph.sessions import Session

NodeKey = tuple[str, str]


def session_node(session: str) -> NodeKey:
    return ("Session", session)


def chunk_node(session: str, chunk: str) -> NodeKey:
    return ("Chunk", key_of(session, chunk))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """A session, its version, and the position of its next chunk."""

    incarnation: str
    created_at: datetime
    version: int = 0
    added: int = 0


class SessionState:
    """All that a session holds. Only the changes of the kinds of sessions, chunks and premises write to it."""

    def __init__(self, session: str, record: SessionRecord, edges: nx.MultiDiGraph[NodeKey]) -> None:
        self.id = session
        self.record = record
        self.chunks: dict[str, Chunk] = {}
        self.at: dict[int, str] = {}  # by position
        self.vectors: dict[str, Vector] = {}
        self.tombstones: dict[str, Tombstone] = {}
        self.live = 0
        self.tokens = 0
        self.premises = 0
        self._edges = edges
        self._contents: SessionContents | None = None
        self._positions: list[int] | None = None

    def summary(self) -> Session:
        return Session(
            id=self.id,
            incarnation=self.record.incarnation,
            created_at=self.record.created_at,
            version=self.record.version,
            added=self.record.added,
            chunks=self.live,
            tokens=self.tokens,
            archived=len(self.chunks) - self.live,
            premises=self.premises,
            tombstones=len(self.tombstones),
        )

    def count(self, chunk: Chunk, sign: int) -> None:
        if chunk.archived_at is None:
            self.live += sign
            self.tokens += sign * chunk.tokens

    def premise(self, chunk: str, premise: str) -> Premise | None:
        ends = chunk_node(self.id, chunk), chunk_node(self.id, premise)
        if not self._edges.has_edge(*ends, key="PREMISE"):
            return None
        found: Premise = self._edges.edges[*ends, "PREMISE"]["premise"]
        return found

    def premises_of(self, chunk: str) -> Iterator[Premise]:
        """What it rests on, in no order."""
        for by_kind in self._edges.adj.get(chunk_node(self.id, chunk), {}).values():
            if "PREMISE" in by_kind:
                yield by_kind["PREMISE"]["premise"]

    def premises_at(self, chunk: str) -> Iterator[Premise]:
        """What it rests on, and what rests on it."""
        yield from self.premises_of(chunk)
        for by_kind in self._edges.pred.get(chunk_node(self.id, chunk), {}).values():
            if "PREMISE" in by_kind:
                yield by_kind["PREMISE"]["premise"]

    def positions(self) -> list[int]:
        """Of live and archived ones, in order."""
        if self._positions is None:
            self._positions = sorted(self.at)
        return self._positions

    def contents(self) -> SessionContents:
        """The arrays are kept while chunks and premises stay; the session beside them is always the one of now."""
        now = self.summary()
        if self._contents is None:
            self._contents = self._read(now)
        elif self._contents.session != now:
            self._contents = replace(self._contents, session=now)
        return self._contents

    def touch(self) -> None:
        """Drop the arrays that were made before."""
        self._contents = self._positions = None

    def _read(self, session: Session) -> SessionContents:
        chunks = [chunk for key in self.positions() if (chunk := self.chunks[self.at[key]]).archived_at is None]
        place = {chunk.id: number for number, chunk in enumerate(chunks)}
        found, lost = [], []
        for number, chunk in enumerate(chunks):
            for it in self.premises_of(chunk.id):
                if it.premise in place:
                    found.append((number, place[it.premise], PREMISE_GRADES.index(it.grade), it.weight))
                else:
                    lost.append((it.chunk, it.premise))
        found.sort()
        rows = np.array([row[:3] for row in found], dtype=np.int64).reshape(-1, 3)
        return SessionContents(
            session=session,
            ids=tuple(place),
            texts=tuple(chunk.text for chunk in chunks),
            kinds=np.array([CHUNK_KINDS.index(chunk.kind) for chunk in chunks], dtype=np.int8),
            roles=np.array([-1 if it.role is None else CHUNK_ROLES.index(it.role) for it in chunks], dtype=np.int8),
            call_ids=tuple(chunk.call_id for chunk in chunks),
            positions=np.array([chunk.position for chunk in chunks], dtype=np.int64),
            tokens=np.array([chunk.tokens for chunk in chunks], dtype=np.int64),
            pinned=np.array([chunk.pinned for chunk in chunks], dtype=np.bool_),
            importance=np.array([chunk.importance for chunk in chunks], dtype=np.float64),
            sources=rows[:, 0],
            targets=rows[:, 1],
            grades=rows[:, 2].astype(np.int8),
            weights=np.array([row[3] for row in found], dtype=np.float64),
            lost=tuple(sorted(lost)),
        )
