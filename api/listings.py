"""The listings of every door: a page of objects, memories, sessions or chunks, with the cursor of the next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.forms.catalogue import ObjectsReply, object_json
from api.forms.memories import MemoriesReply, memory_json
from api.forms.sessions import ChunksReply, SessionsReply, chunk_json, session_json
from api.pages import read_page

if TYPE_CHECKING:
    from api.wiring import Services
    from graph.catalogue import ObjectKind
    from graph.memories import MemoryState


def list_objects(
    services: Services,
    workspace: str,
    *,
    kind: ObjectKind | None,
    q: str | None,
    gone: bool,
    cursor: str | None,
    limit: int,
) -> ObjectsReply:
    fetch = partial(services.catalogue.list, workspace, kind=kind, q=q, gone=gone)
    found, more = read_page(fetch, listing=("objects", workspace, kind, q, gone), cursor=cursor, limit=limit)
    return {"objects": [object_json(it) for it in found], "next_cursor": more}


def list_memories(
    services: Services,
    workspace: str,
    *,
    state: MemoryState | None,
    suspended: bool | None,
    intent: str | None,
    cursor: str | None,
    limit: int,
) -> MemoriesReply:
    fetch = partial(services.memories.list, workspace, state=state, suspended=suspended, intent=intent)
    listing = ("memories", workspace, state, suspended, intent)
    found, more = read_page(fetch, listing=listing, cursor=cursor, limit=limit)
    return {"memories": [memory_json(it) for it in found], "next_cursor": more}


def list_sessions(services: Services, workspace: str, *, cursor: str | None, limit: int) -> SessionsReply:
    fetch = partial(services.sessions.list, workspace)
    found, more = read_page(fetch, listing=("sessions", workspace), cursor=cursor, limit=limit)
    return {"sessions": [session_json(it) for it in found], "next_cursor": more}


def list_chunks(
    services: Services, workspace: str, session: str, *, archived: bool, cursor: str | None, limit: int
) -> ChunksReply:
    fetch = partial(services.sessions.list_chunks, workspace, session, archived=archived)
    listing = ("chunks", workspace, session, archived)
    found, more = read_page(fetch, listing=listing, cursor=cursor, limit=limit, by="position")
    return {"chunks": [chunk_json(it) for it in found], "next_cursor": more}
