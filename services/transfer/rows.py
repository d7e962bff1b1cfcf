"""The rows of a file that a graph is written to, and what the file says of itself.

The form: a first line with FORM and VERSION; for each workspace, by name, its own row, then its tables, attributes,
references, memories, embedded intents, each kind by id, what rules earned, by rule, and sessions, by id, each with its
chunks by position (archived ones too), its premises, and its tombstones; a last line that counts the rows between, so
that a file that was cut off shows it. Memories come before their intents' embeddings because an intent is there through
them. What is derived (versions, expectations, what a memory misses, folded text) and what is of the
day (records of discoveries, replies kept for idempotency keys) is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graph.catalogue import DataObject, Reference
from graph.chunks import Chunk, Tombstone
from graph.embeddings import FloatArray
from graph.feedback import Trust
from graph.memories import Memory
from graph.premises import Premise

FORM = "retinue-graph"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embedding:
    """One vector and its model."""

    model: str
    vector: FloatArray

    def is_same(self, other: Embedding | None) -> bool:
        """Bit for bit."""
        return other is not None and self.model == other.model and self.vector.tobytes() == other.vector.tobytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRow:
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRow:
    """A table or an attribute."""

    item: DataObject
    embedding: Embedding | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRow:
    reference: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    memory: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRow:
    """The embedding of an intent; its text is in its memories."""

    id: str
    embedding: Embedding


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRow:
    """What a rule earned: outcomes made it, and nothing else of the file could make it again."""

    trust: Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session; `added` is the position of its next chunk."""

    id: str
    created_at: datetime
    added: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRow:
    """A chunk of a session, live or archived, at its position."""

    session: str
    chunk: Chunk
    embedding: Embedding | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PremiseRow:
    """What a chunk rests on, with what is believed of it."""

    session: str
    premise: Premise


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneRow:
    """What is left of a chunk."""

    session: str
    tombstone: Tombstone


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRow:
    """The last line: how many rows are between it and the first."""

    rows: int


Held = ObjectRow | ReferenceRow | MemoryRow | IntentRow | TrustRow | SessionRow | ChunkRow | PremiseRow | TombstoneRow
"""What a workspace holds."""

Row = WorkspaceRow | Held | EndRow
