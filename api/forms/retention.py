"""The JSON of a retention answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from api.forms.values import fill
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


class RetainReply(TypedDict):
    """What to keep, in order of selection and of reading; `archived` is null unless it was applied."""

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


def retained_json(answer: Retained) -> RetainReply:
    return fill(
        RetainReply,
        answer,
        warnings=[
            {"chunk": it.chunk, "premise": getattr(it, "premise", None), "what": str(it)} for it in answer.warnings
        ],
        trace=[fill(EvictedReply, it) for it in answer.trace],
        archived=None if answer.applied is None else list(answer.applied.archived),
    )
