"""The rows of a file that a graph is written to, by kind.

The form: a first line with FORM and VERSION; for each workspace, by name, its own row, then its tables, attributes,
references, memories, embedded intents, each kind by id, the trust of rules, by rule, and sessions, by id, each with its
chunks by position (archived ones too), its premises, and its tombstones; a last line that counts the rows between, so
that a file that was cut off shows it. Memories come before their intents' embeddings because an intent is there through
them. What is derived (versions, expectations, the missing objects of a memory, folded text) and what is short-lived
(records of discoveries, replies kept for idempotency keys) is not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, TypeVar

from graph import plain
from graph.catalogue import DataObject, Reference
from graph.embeddings import FloatArray
from graph.memories import Memory
from graph.plain import Form, Malformed
from graph.premises import Premise

T = TypeVar("T")

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowKind(Generic[T]):
    """What the lines of one kind hold: a value, and where they say so its session and its embedding.

    `key` tells two values of a workspace (or session) apart. `implied` are fields that the kind itself says. `settle`
    returns the value as it is stored, and raises `Malformed` where its fields contradict each other.
    """

    name: str
    form: Form[T]
    key: Callable[[T], object]
    implied: Mapping[str, object] = field(default_factory=dict)
    settle: Callable[[T], T] = lambda value: value
    in_session: bool = False
    embeds: bool = False  # the line has the field `embedding`
    always_embeds: bool = False  # and it is never null

    def row(self, value: T, *, session: str | None = None, embedding: Embedding | None = None) -> Row[T]:
        return Row(kind=self, value=value, session=session, embedding=embedding)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row(Generic[T]):
    """One line of a file, its first one aside."""

    kind: RowKind[T]
    value: T
    session: str | None = None
    embedding: Embedding | None = None

    @property
    def key(self) -> object:
        return self.session, self.kind.key(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRow:
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRow:
    start: str
    end: str

    @property
    def ends(self) -> Reference:
        return self.start, self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRow:
    """An intent that is embedded; its text is in its memories."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session; `added` is the position of its next chunk."""

    id: str
    created_at: datetime
    added: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRow:
    """The last line: how many rows are between it and the first."""

    rows: int


def _with_objects_sorted(memory: Memory) -> Memory:
    return replace(memory, objects=tuple(sorted(set(memory.objects))))


def _with_belief(premise: Premise) -> Premise:
    if premise.belief is None and premise.reasons:
        raise Malformed("`reasons` are of no belief")
    return premise


_id = attrgetter("id")

WORKSPACE = RowKind(name="workspace", form=Form(WorkspaceRow), key=attrgetter("name"))
TABLE = RowKind(
    name="table",
    form=Form(DataObject, without={"kind", "folded", "table"}),
    key=_id,
    implied={"kind": "table"},
    embeds=True,
)
ATTRIBUTE = RowKind(
    name="attribute",
    form=Form(DataObject, without={"kind", "folded"}, required={"table"}),
    key=_id,
    implied={"kind": "attribute"},
    embeds=True,
)
REFERENCE = RowKind(
    name="reference",
    form=Form(ReferenceRow, keys={"start": "from", "end": "to"}),
    key=attrgetter("ends"),
)
MEMORY = RowKind(name="memory", form=plain.MEMORY, key=_id, settle=_with_objects_sorted)
INTENT = RowKind(name="intent", form=Form(IntentRow), key=_id, embeds=True, always_embeds=True)
TRUST = RowKind(name="trust", form=plain.TRUST, key=attrgetter("rule"))
SESSION = RowKind(name="session", form=Form(SessionRow), key=_id)
CHUNK = RowKind(name="chunk", form=plain.CHUNK, key=_id, in_session=True, embeds=True)
PREMISE = RowKind(
    name="premise",
    form=plain.PREMISE,
    key=attrgetter("chunk", "premise"),
    settle=_with_belief,
    in_session=True,
)
TOMBSTONE = RowKind(name="tombstone", form=plain.TOMBSTONE, key=attrgetter("chunk"), in_session=True)
END = RowKind(name="end", form=Form(EndRow), key=attrgetter("rows"))

KINDS: dict[str, RowKind[Any]] = {
    kind.name: kind
    for kind in (
        WORKSPACE,
        TABLE,
        ATTRIBUTE,
        REFERENCE,
        MEMORY,
        INTENT,
        TRUST,
        SESSION,
        CHUNK,
        PREMISE,
        TOMBSTONE,
        END,
    )
}
