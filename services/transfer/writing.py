"""Rows as canonical lines: equal rows are equal bytes.

JSON with keys sorted, no blanks, characters as they are; instants in UTC to the microsecond; vectors as float32, little
end first, in base64.
"""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import UTC, datetime

from graph.catalogue import DataObject
from graph.chunks import Chunk
from graph.memories import Memory, OutcomeEvidence
from graph.premises import Premise
from services.transfer.rows import (
    FORM,
    VERSION,
    ChunkRow,
    Embedding,
    EndRow,
    IntentRow,
    MemoryRow,
    ObjectRow,
    PremiseRow,
    ReferenceRow,
    Row,
    SessionRow,
    TombstoneRow,
    TrustRow,
    WorkspaceRow,
)

Plain = dict[str, object]


def header_line() -> bytes:
    return _line({"form": FORM, "version": VERSION})


def row_line(row: Row) -> bytes:
    match row:
        case WorkspaceRow():
            return _line({"row": "workspace", "name": row.name, "created_at": _instant(row.created_at)})
        case ObjectRow():
            return _line(_object(row.item) | {"embedding": row.embedding and _embedding(row.embedding)})
        case ReferenceRow(reference=(start, end)):
            return _line({"row": "reference", "from": start, "to": end})
        case MemoryRow():
            return _line(_memory(row.memory))
        case IntentRow():
            return _line({"row": "intent", "id": row.id, "embedding": _embedding(row.embedding)})
        case TrustRow(trust=it):
            return _line({"row": "trust", "rule": it.rule, "lead": it.lead, "outcomes": it.outcomes})
        case SessionRow():
            return _line({"row": "session", "id": row.id, "created_at": _instant(row.created_at), "added": row.added})
        case ChunkRow():
            return _line(_chunk(row.session, row.chunk) | {"embedding": row.embedding and _embedding(row.embedding)})
        case PremiseRow():
            return _line(_premise(row.session, row.premise))
        case TombstoneRow(session=session, tombstone=it):
            return _line(
                {
                    "row": "tombstone",
                    "session": session,
                    "chunk": it.chunk,
                    "digest": it.digest,
                    "reason": it.reason,
                    "at": _instant(it.at),
                }
            )
        case EndRow():
            return _line({"row": "end", "rows": row.rows})


def _line(plain: Plain) -> bytes:
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _object(it: DataObject) -> Plain:
    plain: Plain = {
        "row": it.kind,
        "id": it.id,
        "name": it.name,
        "description": it.description,
        "data_type": it.data_type,
        "source": it.source,
        "gone": it.gone,
    }
    return plain if it.kind == "table" else plain | {"table": it.table}


def _memory(it: Memory) -> Plain:
    return {
        "row": "memory",
        "id": it.id,
        "intent_id": it.intent_id,
        "intent": it.intent,
        "objects": it.objects,
        "state": it.state,
        "created_at": _instant(it.created_at),
        "last_used_at": _instant(it.last_used_at),
        "times": it.times,
        "successes": it.successes,
        "failures": it.failures,
        "evidence": [_evidence(each) for each in it.evidence],
        "statement": it.statement,
        "dialect": it.dialect,
        "revision": it.revision,
    }


def _evidence(it: OutcomeEvidence) -> Plain:
    return {
        "kind": it.kind,
        "outcome": it.outcome,
        "at": _instant(it.at),
        "state": it.state,
        "note": it.note,
        "discovery": it.discovery,
        "request": it.request,
    }


def _chunk(session: str, it: Chunk) -> Plain:
    return {
        "row": "chunk",
        "session": session,
        "id": it.id,
        "text": it.text,
        "tokens": it.tokens,
        "position": it.position,
        "pinned": it.pinned,
        "importance": float(it.importance),
        "archived_at": None if it.archived_at is None else _instant(it.archived_at),
    }


def _premise(session: str, it: Premise) -> Plain:
    return {
        "row": "premise",
        "session": session,
        "chunk": it.chunk,
        "premise": it.premise,
        "grade": it.grade,
        "weight": float(it.weight),
        "belief": None if it.belief is None else float(it.belief),
        "reasons": it.reasons,
    }


def _embedding(it: Embedding) -> Plain:
    return {"model": it.model, "float32": b64encode(it.vector.astype("<f4", copy=False).tobytes()).decode()}


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
