"""The listings of every door: a page of objects, memories, sessions or chunks, with the cursor of the next.

A cursor is bound to its listing, and holds the last id shown, so that concurrent writes make no page skip or repeat
anything.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from api.forms.catalogue import ObjectsReply, object_json
from api.forms.memories import MemoriesReply, memory_json
from api.forms.sessions import ChunksReply, PremisesReply, SessionsReply, chunk_json, premise_json, session_json
from api.wiring import Services
from graph.catalogue import ObjectKind
from graph.errors import InvalidInput
from graph.memories import MemoryState

T = TypeVar("T")
Listing = tuple[object, ...]
"""What is listed, from which workspace, with which filters."""


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
    found, more = _read_page(fetch, listing=("objects", workspace, kind, q, gone), cursor=cursor, limit=limit)
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
    found, more = _read_page(fetch, listing=listing, cursor=cursor, limit=limit)
    return {"memories": [memory_json(it) for it in found], "next_cursor": more}


def list_sessions(services: Services, workspace: str, *, cursor: str | None, limit: int) -> SessionsReply:
    fetch = partial(services.sessions.list, workspace)
    found, more = _read_page(fetch, listing=("sessions", workspace), cursor=cursor, limit=limit)
    return {"sessions": [session_json(it) for it in found], "next_cursor": more}


def list_chunks(
    services: Services, workspace: str, session: str, *, archived: bool, cursor: str | None, limit: int
) -> ChunksReply:
    fetch = partial(services.sessions.list_chunks, workspace, session, archived=archived)
    listing = ("chunks", workspace, session, archived)
    found, more = _read_page(fetch, listing=listing, cursor=cursor, limit=limit, by="position")
    return {"chunks": [chunk_json(it) for it in found], "next_cursor": more}


def list_premises(services: Services, workspace: str, session: str, *, cursor: str | None, limit: int) -> PremisesReply:
    page = list_chunks(services, workspace, session, archived=False, cursor=cursor, limit=limit)
    found = services.sessions.list_premises(workspace, session, [it["id"] for it in page["chunks"]])
    return {"premises": [premise_json(it) for it in found], "next_cursor": page["next_cursor"]}


def _read_page(
    fetch: Callable[..., Sequence[T]], *, listing: Listing, cursor: str | None, limit: int, by: str = "id"
) -> tuple[list[T], str | None]:
    """Return at most `limit` items after `cursor`, and the cursor of the next page, None on the last one.

    `fetch` takes `after` and `limit`; `by` is the attribute that it orders by, the id or the position.
    Raises `InvalidInput` where the cursor is of another listing.
    """
    after = _read_position(cursor, listing=listing) if by == "position" else _read_cursor(cursor, listing=listing)
    found = list(fetch(after=after, limit=limit + 1))
    if len(found) <= limit:
        return found, None
    mark = [_mark(listing), str(getattr(found[limit - 1], by))]
    text = json.dumps(mark, ensure_ascii=False, separators=(",", ":"))
    return found[:limit], base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str | None, *, listing: Listing) -> str | None:
    """Return the id to go on after, None for no cursor. Raises `InvalidInput` where it is of another listing."""
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        mark, after = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _refused(found="not a cursor that was given out here") from error
    if mark != _mark(listing) or not isinstance(after, str):
        raise _refused(found="it belongs to a listing with other filters or of another workspace")
    return after


def _read_position(cursor: str | None, *, listing: Listing) -> int:
    """Return the position to go on after, -1 for no cursor."""
    after = _read_cursor(cursor, listing=listing)
    if after is None:
        return -1
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise _refused(found="not a cursor that was given out here")
    return int(after)


def _mark(listing: Listing) -> str:
    return hashlib.sha256(repr(listing).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _refused(*, found: str) -> InvalidInput:
    return InvalidInput("the cursor", found=found, hint="Start over without a cursor, or keep the filters as they were")
