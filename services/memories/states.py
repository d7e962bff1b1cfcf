"""What an outcome does to a memory: a pure rule, the same whichever door the outcome came through.

Only outcomes confirm or refute; a person's refutation stands until a person's word lifts it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from graph.memories import EvidenceKind, Memory, MemoryState, Outcome, OutcomeEvidence, standing_of

EVIDENCE_LIMIT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """An outcome as it is reported: what kind of word it is, what it says, which answer it is about, and which request
    brought it, where that may come twice."""

    kind: EvidenceKind
    outcome: Outcome = "success"
    note: str = ""
    discovery: str | None = None
    request: str | None = None
    at: datetime | None = None


def after_outcome(memory: Memory, verdict: Feedback, *, at: datetime) -> Memory:
    """The memory with the outcome counted, its state worked out, and the evidence kept."""
    success = verdict.outcome == "success" and verdict.kind != "refuted"
    before = standing_of(memory, at=at)  # older outcomes count less: what changed is found out sooner
    state = _state(
        memory,
        verdict,
        success=success,
        successes=before.successes + success,
        failures=before.failures + (not success),
    )
    evidence = OutcomeEvidence(
        kind=verdict.kind,
        outcome="success" if success else "failure",
        at=at,
        state=state,
        note=verdict.note,
        discovery=verdict.discovery,
        request=verdict.request,
    )
    return replace(
        memory,
        state=state,
        successes=memory.successes + success,
        failures=memory.failures + (not success),
        evidence=_trimmed((*memory.evidence, evidence)),
        last_used_at=max(memory.last_used_at, at),
    )


def counted(memory: Memory, verdict: Feedback) -> bool:
    """Whether the very request that brings the verdict was counted before, as far back as evidence is kept."""
    return verdict.request is not None and any(item.request == verdict.request for item in memory.evidence)


def refutation(evidence: tuple[OutcomeEvidence, ...]) -> OutcomeEvidence | None:
    """A person's refutation that no person has lifted since."""
    for item in reversed(evidence):
        if item.kind == "refuted":
            return item
        if item.outcome == "success" and item.kind in ("confirmed", "feedback"):
            return None
    return None


def _state(memory: Memory, verdict: Feedback, *, success: bool, successes: float, failures: float) -> MemoryState:
    if verdict.kind == "refuted":
        return "refuted"
    if not success:
        return "refuted" if failures >= successes else memory.state
    if verdict.kind == "confirmed":
        return "confirmed"
    if verdict.kind != "feedback" and refutation(memory.evidence) is not None:
        return memory.state
    return "confirmed" if successes > failures else memory.state


def _trimmed(evidence: tuple[OutcomeEvidence, ...]) -> tuple[OutcomeEvidence, ...]:
    """The latest, and always the refutation that stands: forgetting it would lift it."""
    kept = evidence[-EVIDENCE_LIMIT:]
    standing = refutation(evidence)
    return kept if standing is None or standing in kept else (standing, *kept[1:])
