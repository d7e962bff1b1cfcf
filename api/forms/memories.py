"""The JSON of memories and trust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph.memories import standing_of

if TYPE_CHECKING:
    from graph.feedback import Trust
    from graph.memories import Memory, OutcomeEvidence
    from services.memories import Forgotten
from api.forms.values import Json, instant


def memory_json(memory: Memory) -> Json:
    standing = standing_of(memory)
    return {
        "id": memory.id,
        "intent": memory.intent,
        "objects": list(memory.objects),
        "state": memory.state,
        "suspended": memory.suspended,
        "missing": list(memory.missing),
        "times": memory.times,
        "successes": memory.successes,
        "failures": memory.failures,
        "confidence": {"mean": standing.mean, "low": standing.low},
        "created_at": instant(memory.created_at),
        "last_used_at": instant(memory.last_used_at),
        "statement": memory.statement,
        "dialect": memory.dialect,
        "evidence": [_evidence_json(item) for item in memory.evidence],
        "revision": memory.revision,
    }


def _evidence_json(item: OutcomeEvidence) -> Json:
    return {
        "kind": item.kind,
        "outcome": item.outcome,
        "at": instant(item.at),
        "state": item.state,
        "note": item.note,
        "discovery": item.discovery,
    }


def forgotten_json(report: Sequence[Forgotten]) -> Json:
    return {
        "forgotten": sum(1 for item in report if item.status == "forgotten"),
        "memories": [{"id": item.id, "status": item.status, "error": item.error} for item in report],
    }


def trust_json(trust: Sequence[Trust]) -> Json:
    """With how far each rule is heard for it."""
    from services.discovery.trust import trust_of

    return {
        "trust": [
            {"rule": it.rule, "lead": it.lead, "outcomes": it.outcomes, "heard": trust_of(it.lead)} for it in trust
        ]
    }
