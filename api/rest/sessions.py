"""Sessions over REST: made, filled with chunks and premises, and asked what to keep. What is kept is the service's."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Query, Request
from fastapi.responses import JSONResponse, Response

from api.cursors import make_cursor, read_cursor, read_position
from api.forms.retention import retained_json
from api.forms.sessions import chunk_json, chunks_added_json, live_set_json, premises_added_json, session_json
from api.rest.etags import check_current, tagged
from api.rest.problems import declared
from api.rest.requests import Cursor, Id, IfMatch, IfNoneMatch, Limit, ServicesOf, WorkspaceName
from api.rest.session_forms import (
    ChunksAddedReply,
    ChunksBody,
    ChunksReply,
    GivenId,
    LiveSetReply,
    PremisesAddedReply,
    PremisesBody,
    RestoredReply,
    RetainBody,
    RetainReply,
    SessionReply,
    SessionsReply,
)
from graph.errors import InvalidInput, NotAllowed
from graph.premises import HOP_LIMIT
from services.sessions import GivenChunk, GivenPremise

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/sessions", tags=["sessions"])


@router.get("", responses={200: {"model": SessionsReply}, **declared(404)})
def list_sessions(
    workspace: WorkspaceName, services: ServicesOf, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """List sessions by id."""
    listing = ("sessions", workspace)
    page = services.sessions.list(workspace, after=read_cursor(cursor, listing=listing), limit=limit + 1)
    more = make_cursor(page[limit - 1].id, listing=listing) if len(page) > limit else None
    return JSONResponse({"sessions": [session_json(it) for it in page[:limit]], "next_cursor": more})


@router.put("/{session_id:id}", responses={200: {"model": SessionReply}, 201: {"model": SessionReply}, **declared(404)})
def create_session(workspace: WorkspaceName, session_id: Id, services: ServicesOf) -> Response:
    """Create the session (201), or leave it as it is (200)."""
    made, created = services.sessions.create(workspace, session_id)
    return tagged(session_json(made), status=201 if created else 200)


@router.get(
    "/{session_id:id}",
    responses={200: {"model": SessionReply}, 304: {"description": "As the caller has it"}, **declared(404)},
)
def show_session(
    workspace: WorkspaceName, session_id: Id, services: ServicesOf, if_none_match: IfNoneMatch = None
) -> Response:
    """Read the session with its counts."""
    return tagged(session_json(services.sessions.show(workspace, session_id)), if_none_match=if_none_match)


@router.delete("/{session_id:id}", status_code=204, response_class=Response, responses=declared(404, 412))
def delete_session(workspace: WorkspaceName, session_id: Id, services: ServicesOf, if_match: IfMatch = None) -> None:
    """Delete the session with its chunks, its archive, premises and tombstones."""
    if if_match is not None:
        check_current(session_json(services.sessions.show(workspace, session_id)), if_match=if_match)
    services.sessions.delete(workspace, session_id)


@router.post("/{session_id:id}/chunks", responses={200: {"model": ChunksAddedReply}, **declared(404, 409, 413)})
def add_chunks(workspace: WorkspaceName, session_id: Id, body: ChunksBody, services: ServicesOf) -> Response:
    """Add chunks at the end, all or none. The same again adds nothing; another text under a known id is a conflict."""
    given = [
        GivenChunk(
            id=it.id,
            text=it.text,
            tokens=it.tokens,
            pinned=it.pinned,
            importance=it.importance,
            premises=tuple(it.premises),
        )
        for it in body.chunks
    ]
    return JSONResponse(
        chunks_added_json(services.sessions.add_chunks(workspace, session_id, given, counter=body.counter))
    )


@router.get("/{session_id:id}/chunks", responses={200: {"model": ChunksReply}, **declared(404)})
def list_chunks(
    workspace: WorkspaceName,
    session_id: Id,
    services: ServicesOf,
    archived: Annotated[bool, Query(description="The archived ones, without their texts.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """List chunks by position."""
    listing = ("chunks", workspace, session_id, archived)
    after = read_position(cursor, listing=listing)
    page = services.sessions.list_chunks(workspace, session_id, archived=archived, after=after, limit=limit + 1)
    more = make_cursor(str(page[limit - 1].position), listing=listing) if len(page) > limit else None
    return JSONResponse({"chunks": [chunk_json(it) for it in page[:limit]], "next_cursor": more})


@router.post(
    "/{session_id:id}/chunks/{chunk_id:id}/restore", responses={200: {"model": RestoredReply}, **declared(404)}
)
def restore_chunk(workspace: WorkspaceName, session_id: Id, chunk_id: Id, services: ServicesOf) -> Response:
    """Bring an archived chunk back to its place."""
    restored = services.sessions.restore(workspace, session_id, [chunk_id])
    session = services.sessions.show(workspace, session_id)
    return JSONResponse({"restored": list(restored), "session": session_json(session)})


@router.delete(
    "/{session_id:id}/chunks/{chunk_id:id}", status_code=204, response_class=Response, responses=declared(404)
)
def purge_chunk(
    workspace: WorkspaceName,
    session_id: Id,
    chunk_id: Id,
    services: ServicesOf,
    tombstone: Annotated[bool, Query(description="Keep the id from being added again, whatever it says.")] = False,
) -> None:
    """Delete a chunk, live or archived, for good, with its premises."""
    services.sessions.purge(workspace, session_id, [chunk_id], tombstones=tombstone)


@router.post("/{session_id:id}/premises", responses={200: {"model": PremisesAddedReply}, **declared(404, 413)})
def add_premises(workspace: WorkspaceName, session_id: Id, body: PremisesBody, services: ServicesOf) -> Response:
    """Say what chunks rest on, all or none; a premise that points to no chunk is refused."""
    given = [GivenPremise(chunk=it.chunk, premise=it.premise, grade=it.grade, weight=it.weight) for it in body.premises]
    return JSONResponse(premises_added_json(services.sessions.add_premises(workspace, session_id, given)))


@router.get("/{session_id:id}/live", responses={200: {"model": LiveSetReply}, **declared(404)})
def live(
    workspace: WorkspaceName,
    session_id: Id,
    services: ServicesOf,
    request: Request,
    root: Annotated[list[GivenId] | None, Query(description="Chunks to start from", max_length=1_000)] = None,
    query: Annotated[
        str | None, Query(description="Start from what the policy finds for it", min_length=1, max_length=10_000)
    ] = None,
    policy: Annotated[str, Query(description="`dsgc_roots`, `dsgc` or `multi_hop`", max_length=200)] = "dsgc_roots",
    depth: Annotated[int | None, Query(description="How many premises far", ge=1, le=HOP_LIMIT)] = None,
) -> Response:
    """Show what is live: the chunks that roots rest on, with their liveness and a shortest path from a root."""
    found = services.sessions.live(
        workspace,
        session_id,
        roots=root or (),
        query=query,
        policy=policy,
        depth=depth,
        may_write=not request.scope["reads_only"],
    )
    return JSONResponse(live_set_json(found))


@router.post("/{session_id:id}/retain", responses={200: {"model": RetainReply}, **declared(404, 413)})
def retain(
    workspace: WorkspaceName,
    session_id: Id,
    body: RetainBody,
    services: ServicesOf,
    request: Request,
    after: BackgroundTasks,
) -> Response:
    """Ask what to keep for a query under a budget. A reading key may ask; to apply the answer takes a writing one."""
    may_write = not request.scope["reads_only"]
    if body.apply and not may_write:
        raise NotAllowed("to apply what is kept", found="the key may read only", hint="Use a key with the role write")
    if body.tombstones and not body.apply:
        raise InvalidInput("tombstones", found="nothing is applied", hint="Tombstones come with `apply`")
    answer = services.sessions.retain(
        workspace,
        session_id,
        body.query,
        budget_tokens=body.budget_tokens,
        policy=body.policy,
        encoder=body.encoder,
        orphans=body.orphans,
        explain=body.explain,
        apply=body.apply,
        tombstones=body.tombstones,
        may_write=may_write,
    )
    if may_write:
        after.add_task(services.sessions.note_beliefs, workspace, session_id, answer)
    return JSONResponse(retained_json(answer), background=after)
