"""How an outcome changes a memory's state: pure, the same for every door.

Only outcomes confirm or refute; a user's refutation stands until a user confirms the memory.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from graph.memories import EvidenceKind, Memory, MemoryState, Outcome, OutcomeEvidence, standing_of

EVIDENCE_LIMIT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A reported outcome: its kind, the discovery that it is about, and the request that sent it, where that may be
    sent twice."""

    kind: EvidenceKind
    outcome: Outcome = "success"
    note: str = ""
    discovery: str | None = None
    request: str | None = None
    at: datetime | None = None


def after_outcome(memory: Memory, feedback: Feedback, *, at: datetime) -> Memory:
    """Return the memory with the outcome counted, its new state, and the evidence appended."""
    success = feedback.outcome == "success" and feedback.kind != "refuted"
    before = standing_of(memory, at=at)  # older outcomes count less, so that changes are noticed sooner
    state = _state(
        memory,
        feedback,
        success=success,
        successes=before.successes + success,
        failures=before.failures + (not success),
    )
    evidence = OutcomeEvidence(
        kind=feedback.kind,
        outcome="success" if success else "failure",
        at=at,
        state=state,
        note=feedback.note,
        discovery=feedback.discovery,
        request=feedback.request,
    )
    return replace(
        memory,
        state=state,
        successes=memory.successes + success,
        failures=memory.failures + (not success),
        evidence=_trimmed((*memory.evidence, evidence)),
        last_used_at=max(memory.last_used_at, at),
    )


def counted(memory: Memory, feedback: Feedback) -> bool:
    """True if the feedback's request was counted before, as far back as evidence is kept."""
    return feedback.request is not None and any(item.request == feedback.request for item in memory.evidence)


def refutation(evidence: tuple[OutcomeEvidence, ...]) -> OutcomeEvidence | None:
    """A user's refutation that no user has lifted since."""
    for item in reversed(evidence):
        if item.kind == "refuted":
            return item
        if item.outcome == "success" and item.kind in ("confirmed", "feedback"):
            return None
    return None


def _state(memory: Memory, feedback: Feedback, *, success: bool, successes: float, failures: float) -> MemoryState:
    if feedback.kind == "refuted":
        return "refuted"
    if not success:
        return "refuted" if failures >= successes else memory.state
    if feedback.kind == "confirmed":
        return "confirmed"
    if feedback.kind != "feedback" and refutation(memory.evidence) is not None:
        return memory.state
    return "confirmed" if successes > failures else memory.state


def _trimmed(evidence: tuple[OutcomeEvidence, ...]) -> tuple[OutcomeEvidence, ...]:
    """The latest, and always the refutation that stands: without it, it would be lifted."""
    kept = evidence[-EVIDENCE_LIMIT:]
    standing = refutation(evidence)
    return kept if standing is None or standing in kept else (standing, *kept[1:])
