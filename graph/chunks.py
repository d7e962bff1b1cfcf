"""Chunks: pieces of a session, tombstones of evicted ones, and the port that stores both.

Choosing what to keep is done by `services.retention`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from graph.embeddings import Embeddings
from graph.premises import Premise
from graph.sessions import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a session, whole or gone. `position` is given by the store, in order of ingestion, and is never given
    twice; -1 where no store has given one. `tokens` is its cost, `importance` within 0 and 1.

    An archived chunk is out of reach of whatever reads sessions, until it is restored.
    """

    id: str
    text: str
    tokens: int
    pinned: bool = False
    importance: float = 0.0
    position: int = -1
    archived_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunksAdded:
    """What became of chunks that were to be added, each by id in the order given: `added`, `updated` (its pin, tokens
    or importance), `unchanged`, or not added again because it is `archived`, or was evicted and left a tombstone
    (`buried`)."""

    session: Session
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What is left of a chunk that was evicted: its id, the SHA-256 of its text in hexadecimal, why, and when.

    Without a digest it stands for any text: a chunk of this id is not added again.
    """

    chunk: str
    digest: str
    reason: str
    at: datetime


class Chunks(Protocol):
    """The chunks of a session, its archive, and what is left of what was evicted."""

    def add_chunks(
        self,
        workspace: str,
        session: str,
        chunks: Sequence[Chunk],
        *,
        digests: Mapping[str, str],
        premises: Sequence[Premise] = (),
    ) -> ChunksAdded:
        """Adds the chunks that are not there at the end, in the order given, then `premises` as `add_premises` does;
        ids in one call are distinct. `digests` are the SHA-256 of their texts by id. Raises `ChunkConflict`, and adds
        nothing, where a chunk of an id is there (archived ones too) with another text. What an addition costs does not
        depend on the session's size."""
        ...

    def load_chunks(
        self, workspace: str, session: str, chunks: Sequence[Chunk], *, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[int, int]:
        """Stores chunks as they are given, position, archive and all, and tombstones, whatever is there under their
        ids: for copies. How many (of both) were not there, and how many were other. Raises `InvalidInput`, and stores
        nothing, where another chunk is at the position of one."""
        ...

    def list_chunks(
        self, workspace: str, session: str, *, archived: bool = False, after: int = -1, limit: int = 100
    ) -> tuple[Chunk, ...]:
        """At most `limit` live (or archived) chunks by position, those after position `after`."""
        ...

    def list_tombstones(
        self, workspace: str, session: str, *, after: str | None = None, limit: int = 100
    ) -> tuple[Tombstone, ...]:
        """At most `limit` tombstones by chunk, those after chunk `after`."""
        ...

    def evict_chunks(
        self, workspace: str, session: str, ids: Sequence[str], *, at: datetime, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[str, ...]:
        """Archives those of `ids` that are live, and puts up those of `tombstones` that are for them; the ids archived,
        sorted."""
        ...

    def restore_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Brings archived ones among `ids` back to their places, and takes their tombstones away; the ids, sorted."""
        ...

    def purge_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Deletes those of `ids` that are there, live or archived, with text, embedding and premises; tombstones stay.
        The ids deleted, sorted."""
        ...

    def show_chunk_embeddings(
        self, workspace: str, session: str, *, ids: Sequence[str] | None = None
    ) -> tuple[Embeddings, ...]:
        """The embeddings of those of `ids` (None: of all live chunks) that have one, bit for bit: one value for each
        model, by model, its ids sorted."""
        ...

    def save_chunk_embeddings(self, workspace: str, session: str, embeddings: Embeddings) -> None:
        """Stores them where the chunks are (still) there, replacing older ones. Does not move the session's version."""
        ...
