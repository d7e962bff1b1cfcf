"""The JSON of memories and trust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.feedback import Trust
from graph.memories import EvidenceKind, Memory, MemoryState, Outcome, standing_of

if TYPE_CHECKING:
    from services.memories import Forgotten


class EvidenceReply(TypedDict):
    """An outcome of a memory, and the state it left the memory in."""

    kind: EvidenceKind
    outcome: Outcome
    at: str
    state: MemoryState
    note: str
    discovery: str | None


class ConfidenceReply(TypedDict):
    """How often the memory is right, by its outcomes, of which older ones count less: the mean of a Beta distribution,
    and the lower end of Wilson's 95 % interval."""

    mean: float
    low: float


class MemoryReply(TypedDict):
    """A memory: an intent, the objects that served it, and the evidence for and against it."""

    id: str
    intent: str
    objects: list[str]
    state: MemoryState
    suspended: bool
    missing: list[str]
    times: int
    successes: int
    failures: int
    confidence: ConfidenceReply
    created_at: str
    last_used_at: str
    statement: str | None
    dialect: str | None
    evidence: list[EvidenceReply]
    revision: int


class MemoriesReply(TypedDict):
    """One page of memories, by id; `next_cursor` is null on the last one."""

    memories: list[MemoryReply]
    next_cursor: str | None


class ForgottenReply(TypedDict):
    """What became of one id."""

    id: str
    status: Literal["forgotten", "missing", "error"]
    error: str | None


class ForgetReply(TypedDict):
    """How many were forgotten, and what became of each id. What failed can be sent again."""

    forgotten: int
    memories: list[ForgottenReply]


class RuleReply(TypedDict):
    """A rule: its lead over no memory, in how many outcomes, and the weight (0 to 1) that memory gets for it."""

    rule: str
    lead: float
    outcomes: int
    heard: float


class TrustReply(TypedDict):
    """The rules with outcomes, by name; any other has its initial weight."""

    trust: list[RuleReply]


class ResetReply(TypedDict):
    """How many rules had any trust to forget."""

    forgotten: int


def memory_json(memory: Memory) -> MemoryReply:
    return fill(
        MemoryReply,
        memory,
        confidence=fill(ConfidenceReply, standing_of(memory)),
        evidence=[fill(EvidenceReply, item) for item in memory.evidence],
    )


def forgotten_json(report: Sequence[Forgotten]) -> ForgetReply:
    return {
        "forgotten": sum(item.status == "forgotten" for item in report),
        "memories": [fill(ForgottenReply, item) for item in report],
    }


def trust_json(trust: Sequence[Trust]) -> TrustReply:
    from services.discovery.trust import trust_of

    return {"trust": [fill(RuleReply, it, heard=trust_of(it.lead)) for it in trust]}
