"""The JSON of sessions, chunks and premises."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.chunks import Chunk, ChunksAdded
    from graph.premises import PremisesAdded
    from graph.sessions import Session
    from services.sessions import LiveSet, LogImported
from api.forms.values import Json, instant


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


def live_set_json(found: LiveSet) -> Json:
    return {
        "session": found.session,
        "roots": list(found.roots),
        "live": [
            {"chunk": it.chunk, "liveness": it.liveness, "hops": it.hops, "path": list(it.path)} for it in found.live
        ],
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
