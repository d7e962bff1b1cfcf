"""Chunks: pieces of a session, tombstones of evicted ones, and the port that stores both.

Choosing what to keep is done by `services.retention`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, get_args

from graph.embeddings import Embeddings
from graph.premises import Premise
from graph.sessions import Session

ChunkKind = Literal["message", "call", "result", "thought", "system", "note"]
ChunkRole = Literal["user", "assistant", "tool", "system"]

CHUNK_KINDS: tuple[ChunkKind, ...] = get_args(ChunkKind)
CHUNK_ROLES: tuple[ChunkRole, ...] = get_args(ChunkRole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a session, whole or gone. `position` is given by the store, in order of ingestion, and is never given
    twice; -1 where no store has given one. `tokens` is its cost, `importance` within 0 and 1.

    `kind` says what it is in an agent's log, where a `note` comes from no log; `role` who wrote it. `call_id` is the
    id that a call and its result have in common, if the log gives one.

    An archived chunk is out of reach of whatever reads sessions, until it is restored.
    """

    id: str
    text: str
    tokens: int
    kind: ChunkKind = "note"
    role: ChunkRole | None = None
    call_id: str | None = None
    pinned: bool = False
    importance: float = 0.0
    position: int = -1
    archived_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunksAdded:
    """The result of adding chunks, by id in the order given: `added`, `updated` (pin, tokens, importance, kind,
    role or call id), `unchanged`, or not added again because it is `archived`, or was evicted and left a tombstone
    (`buried`)."""

    session: Session
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """The record of an evicted chunk: its id, the SHA-256 of its text in hexadecimal, why, and when.

    Without a digest it stands for any text: a chunk of this id is not added again.
    """

    chunk: str
    digest: str
    reason: str
    at: datetime


class Chunks(Protocol):
    """The live and archived chunks of a session, and tombstones of evicted ones."""

    def add_chunks(
        self,
        workspace: str,
        session: str,
        chunks: Sequence[Chunk],
        *,
        digests: Mapping[str, str],
        premises: Sequence[Premise] = (),
    ) -> ChunksAdded:
        """Append the chunks that are not in the session, in the order given, then add `premises` as `add_premises`
        does, at a cost that does not depend on the session's size. Ids in one call are distinct; `digests` are the
        SHA-256 of the texts by id.

        Raises `ChunkConflict`, and adds nothing, if a chunk of an id exists (live or archived) with another text."""
        ...

    def load_chunks(
        self, workspace: str, session: str, chunks: Sequence[Chunk], *, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[int, int]:
        """Upsert chunks with their positions and archive, and tombstones, exactly as given: for copies.

        Returns how many (of both) were new, and how many differed. Raises `InvalidInput`, and stores nothing, if
        another chunk has the position of one."""
        ...

    def list_chunks(
        self, workspace: str, session: str, *, archived: bool = False, after: int = -1, limit: int = 100
    ) -> tuple[Chunk, ...]:
        """Return at most `limit` live (or archived) chunks by position, after position `after`."""
        ...

    def list_tombstones(
        self, workspace: str, session: str, *, after: str | None = None, limit: int = 100
    ) -> tuple[Tombstone, ...]:
        """Return at most `limit` tombstones by chunk, after chunk `after`."""
        ...

    def evict_chunks(
        self, workspace: str, session: str, ids: Sequence[str], *, at: datetime, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[str, ...]:
        """Archive the live chunks among `ids`, and store their `tombstones`. Returns the archived ids, sorted."""
        ...

    def restore_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Restore the archived chunks among `ids`, and delete their tombstones. Returns the ids, sorted."""
        ...

    def purge_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Delete the chunks among `ids`, live or archived, with embeddings and premises; tombstones stay. Returns the
        deleted ids, sorted."""
        ...

    def show_chunk_embeddings(
        self, workspace: str, session: str, *, ids: Sequence[str] | None = None
    ) -> tuple[Embeddings, ...]:
        """Return the embeddings of `ids` (None: of all live chunks), bit for bit: one value for each model, by model,
        its ids sorted."""
        ...

    def save_chunk_embeddings(self, workspace: str, session: str, embeddings: Embeddings) -> None:
        """Store the embeddings of chunks that exist, replacing older ones. Does not move the session's version."""
        ...
