"""The JSON forms of the domain's values, one for every door.

Plain dictionaries in the order in which people read them; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graph.memories import standing_of

if TYPE_CHECKING:
    from graph.catalogue import DataObject
    from graph.chunks import Chunk, ChunksAdded
    from graph.explore import Neighbourhood
    from graph.feedback import Trust
    from graph.memories import Memory, OutcomeEvidence
    from graph.premises import PremisesAdded
    from graph.sessions import Session
    from graph.store import Health
    from graph.workspaces import Workspace
    from services.catalogue import ImportReport
    from services.discovery.answers import Answer, Hit, JoinTree
    from services.learning import LearnReport, Learnt
    from services.memories import Forgotten
    from services.sessions import LogImported, Retained
    from services.sessions.answers import Evicted

Json = dict[str, Any]


def instant(at: datetime) -> str:
    """An instant in RFC 3339, UTC."""
    return at.isoformat().replace("+00:00", "Z")


def workspace_json(workspace: Workspace) -> Json:
    return {
        "name": workspace.name,
        "created_at": instant(workspace.created_at),
        "tables": workspace.tables,
        "attributes": workspace.attributes,
        "gone": workspace.gone,
        "references": workspace.references,
        "memories": workspace.memories,
        "incarnation": workspace.stamp.incarnation,
        "version": workspace.stamp.version,
    }


def object_json(item: DataObject) -> Json:
    return {
        "id": item.id,
        "kind": item.kind,
        "table": item.table,
        "name": item.name,
        "description": item.description,
        "data_type": item.data_type,
        "source": item.source,
        "gone": item.gone,
    }


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


def import_json(report: ImportReport) -> Json:
    return {
        "imported": report.imported,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "gone": report.gone,
        "rejected": [{"item": entry.item, "reason": entry.reason} for entry in report.rejected],
        "references_added": report.references_added,
        "references_dropped": report.references_dropped,
        "suspended": list(report.suspended),
        "restored": list(report.restored),
        "degraded": list(report.degraded),
    }


def learnt_json(learnt: Learnt) -> Json:
    return {
        "memory": learnt.memory,
        "objects": list(learnt.objects),
        "unresolved": list(learnt.unresolved),
        "state": learnt.state,
    }


def learn_report_json(report: LearnReport) -> Json:
    return {
        "lines": [
            {
                "line": line.line,
                "memory": line.memory,
                "objects": list(line.objects),
                "unresolved": list(line.unresolved),
                "state": line.state,
                "error": line.error,
            }
            for line in report.lines
        ],
        "learned": report.learned,
        "rejected": report.rejected,
    }


def graph_json(graph: Neighbourhood) -> Json:
    return {
        "nodes": [{"id": n.id, "labels": list(n.labels), "properties": _properties(n.properties)} for n in graph.nodes],
        "relationships": [
            {
                "type": r.type,
                "start": {"label": r.start[0], "id": r.start[1]},
                "end": {"label": r.end[0], "id": r.end[1]},
                "properties": _properties(r.properties),
            }
            for r in graph.relationships
        ],
        "truncated": graph.truncated,
    }


def session_json(session: Session) -> Json:
    return {
        "id": session.id,
        "created_at": instant(session.created_at),
        "chunks": session.chunks,
        "tokens": session.tokens,
        "archived": session.archived,
        "premises": session.premises,
        "tombstones": session.tombstones,
        "added": session.added,
        "version": session.version,
    }


def chunk_json(chunk: Chunk) -> Json:
    """Of an archived one everything but its text."""
    shown: Json = {"id": chunk.id, "position": chunk.position}
    if chunk.archived_at is None:
        shown["text"] = chunk.text
    return shown | {
        "tokens": chunk.tokens,
        "pinned": chunk.pinned,
        "importance": chunk.importance,
        "archived_at": None if chunk.archived_at is None else instant(chunk.archived_at),
    }


def chunks_added_json(done: ChunksAdded) -> Json:
    return {
        "added": len(done.added),
        "updated": len(done.updated),
        "unchanged": len(done.unchanged),
        "archived": list(done.archived),
        "buried": list(done.buried),
        "session": session_json(done.session),
    }


def premises_added_json(done: PremisesAdded) -> Json:
    return {
        "added": done.added,
        "updated": done.updated,
        "unchanged": done.unchanged,
        "session": session_json(done.session),
    }


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


def log_imported_json(done: LogImported) -> Json:
    return {
        "session": done.session,
        "added": done.added,
        "unchanged": done.unchanged,
        "premises": done.premises,
        "by_grade": done.by_grade,
        "rejected": [{"line": fault.line, "reason": fault.reason} for fault in done.faults],
    }


def health_json(health: Health) -> Json:
    return {
        "ready": health.ready,
        "store": health.store,
        "server": health.server,
        "schema_version": health.schema,
        "problems": list(health.problems),
        "mended": list(health.mended),
    }


def _properties(properties: dict[str, object]) -> Json:
    return {key: _plain(value) for key, value in properties.items()}


def _plain(value: object) -> Any:
    """A property as JSON has it: instants as text, sequences as lists."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
