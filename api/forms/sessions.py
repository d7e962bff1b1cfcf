"""The JSON of sessions, chunks and premises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.chunks import ChunkKind, ChunkRole
from graph.premises import PremiseGrade

if TYPE_CHECKING:
    from graph.chunks import Chunk, ChunksAdded
    from graph.premises import Premise, PremisesAdded
    from graph.sessions import Session
    from services.sessions import LiveSet, LogImported


class SessionReply(TypedDict):
    """A session: live chunks and their tokens, archived ones, premises, tombstones, and all that were ever added."""

    id: str
    created_at: str
    chunks: int
    tokens: int
    archived: int
    premises: int
    tombstones: int
    added: int
    version: int


class SessionsReply(TypedDict):
    """One page of sessions, by id; `next_cursor` is null on the last one."""

    sessions: list[SessionReply]
    next_cursor: str | None


class ChunkReply(TypedDict):
    """A chunk; an archived one without its text."""

    id: str
    position: int
    text: NotRequired[str]
    tokens: int
    kind: ChunkKind
    role: ChunkRole | None
    call_id: str | None
    pinned: bool
    importance: float
    archived_at: str | None


class ChunksReply(TypedDict):
    """One page of chunks, by position; `next_cursor` is null on the last one."""

    chunks: list[ChunkReply]
    next_cursor: str | None


class ChunksAddedReply(TypedDict):
    """How many were added, changed or there before, and the ids that were not added again: archived ones, and buried
    ones (a tombstone says that they were evicted with this text)."""

    added: int
    updated: int
    unchanged: int
    archived: list[str]
    buried: list[str]
    session: SessionReply


class PremisesAddedReply(TypedDict):
    """How many were new, have a higher grade or another weight than before, or were there before."""

    added: int
    updated: int
    unchanged: int
    session: SessionReply


class PremiseReply(TypedDict):
    """What `chunk` rests on; `belief` and `reasons` as far as they were written."""

    chunk: str
    premise: str
    grade: PremiseGrade
    weight: float
    belief: float | None
    reasons: list[str]


class PremisesReply(TypedDict):
    """The premises of one page of chunks, by position; `next_cursor` is null on the last one."""

    premises: list[PremiseReply]
    next_cursor: str | None


class LiveReply(TypedDict):
    """A live chunk: its liveness by the policy, and a shortest path from a root to it."""

    chunk: str
    liveness: float
    hops: int
    path: list[str]


class LiveSetReply(TypedDict):
    """What is live in a session, most live first, ties by position; `roots` by position."""

    session: str
    roots: list[str]
    live: list[LiveReply]


class RestoredReply(TypedDict):
    """The chunk that is back at its position."""

    restored: list[str]
    session: SessionReply


class RejectedLineReply(TypedDict):
    """A line of a log that cannot be read, and why."""

    line: int
    reason: str


class LogImportedReply(TypedDict):
    """What a log added to its session."""

    session: str
    added: int
    unchanged: int
    premises: int
    by_grade: dict[str, int]
    counter: str
    rejected: list[RejectedLineReply]


def session_json(session: Session) -> SessionReply:
    return fill(SessionReply, session)


def chunk_json(chunk: Chunk) -> ChunkReply:
    reply = fill(ChunkReply, chunk)
    if chunk.archived_at is not None:
        del reply["text"]
    return reply


def chunks_added_json(done: ChunksAdded) -> ChunksAddedReply:
    counts = {"added": len(done.added), "updated": len(done.updated), "unchanged": len(done.unchanged)}
    return fill(ChunksAddedReply, done, **counts, session=session_json(done.session))


def premises_added_json(done: PremisesAdded) -> PremisesAddedReply:
    return fill(PremisesAddedReply, done, session=session_json(done.session))


def premise_json(premise: Premise) -> PremiseReply:
    return fill(PremiseReply, premise)


def restored_json(restored: Sequence[str], session: Session) -> RestoredReply:
    return {"restored": list(restored), "session": session_json(session)}


def live_set_json(found: LiveSet) -> LiveSetReply:
    return fill(LiveSetReply, found, live=[fill(LiveReply, it) for it in found.live])


def log_imported_json(done: LogImported) -> LogImportedReply:
    return fill(LogImportedReply, done, rejected=[fill(RejectedLineReply, fault) for fault in done.faults])
