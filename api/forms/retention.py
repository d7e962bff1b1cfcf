"""The JSON of a retention answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.chunks import ChunkKind, ChunkRole
from services.retention.explanations import Reason

if TYPE_CHECKING:
    from services.sessions import Retained


class WarningReply(TypedDict):
    """A kept chunk that lacks a premise, or a pinned one without room; `what` says it in words."""

    chunk: str
    premise: str | None
    what: str


class EvictedReply(TypedDict):
    """Why a chunk was evicted: what was taken before it, by what gap, and the premises that kept that one alive."""

    chunk: str
    score: float
    reason: Reason
    competitor: str | None
    gap: float | None
    path: list[str]


class KeptReply(TypedDict):
    """A kept chunk."""

    id: str
    kind: ChunkKind
    role: ChunkRole | None
    call_id: str | None
    position: int
    tokens: int
    text: str


class RetainReply(TypedDict):
    """What to keep, in order of selection and of reading; `chunks` in reading order, unless only ids were asked for;
    `archived` is null unless it was applied."""

    kept: list[str]
    reading_order: list[str]
    evicted: list[str]
    tokens: int
    budget_tokens: int
    warnings: list[WarningReply]
    trace: list[EvictedReply]
    policy: str
    encoder: str
    degraded: list[str]
    archived: list[str] | None
    chunks: NotRequired[list[KeptReply]]


def retained_json(answer: Retained, *, ids_only: bool = False) -> RetainReply:
    reply: RetainReply = fill(
        RetainReply,
        answer,
        warnings=[
            {"chunk": it.chunk, "premise": getattr(it, "premise", None), "what": str(it)} for it in answer.warnings
        ],
        trace=[fill(EvictedReply, it) for it in answer.trace],
        archived=None if answer.applied is None else list(answer.applied.archived),
        chunks=[fill(KeptReply, it) for it in answer.chunks],
    )
    if ids_only:
        del reply["chunks"]
    return reply
