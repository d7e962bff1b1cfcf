"""The JSON of discovery answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.discovery.answers import Answer, Hit, JoinTree
from api.forms.values import Json


def answer_json(answer: Answer) -> Json:
    return {
        "discovery": answer.discovery,
        "results": [_hit_json(hit) for hit in answer.results],
        "retriever": answer.retriever,
        "rule": answer.rule,
        "degraded": list(answer.degraded),
    } | ({} if answer.join is None else {"join": _join_json(answer.join)})


def _join_json(join: JoinTree) -> Json:
    return {
        "root": join.root,
        "steps": [
            {
                "from": step.start,
                "to": step.end,
                "references": [list(reference) for reference in step.references],
                "serves": list(step.serves),
            }
            for step in join.steps
        ],
        "added": list(join.added),
        "unconnected": list(join.unconnected),
    }


def _hit_json(hit: Hit) -> Json:
    return {
        "id": hit.id,
        "kind": hit.kind,
        "table": hit.table,
        "name": hit.name,
        "description": hit.description,
        "score": hit.score,
        "parts": {"registry": hit.registry, "memory": hit.memory},
        "memories": [{"id": voice.id, "intent": voice.intent, "share": voice.share} for voice in hit.memories],
    }
