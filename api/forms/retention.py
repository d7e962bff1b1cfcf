"""The JSON of a retention answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.sessions import Retained
    from services.sessions.answers import Evicted
from api.forms.values import Json


def retained_json(answer: Retained) -> Json:
    return {
        "kept": list(answer.kept),
        "reading_order": list(answer.reading_order),
        "evicted": list(answer.evicted),
        "tokens": answer.tokens,
        "budget_tokens": answer.budget_tokens,
        "warnings": [
            {"chunk": it.chunk, "premise": getattr(it, "premise", None), "what": str(it)} for it in answer.warnings
        ],
        "trace": [_evicted_json(it) for it in answer.trace],
        "policy": answer.policy,
        "encoder": answer.encoder,
        "degraded": list(answer.degraded),
        "archived": None if answer.applied is None else list(answer.applied.archived),
    }


def _evicted_json(it: Evicted) -> Json:
    return {
        "chunk": it.chunk,
        "score": it.score,
        "reason": it.reason,
        "competitor": it.competitor,
        "gap": it.gap,
        "path": list(it.path),
    }
