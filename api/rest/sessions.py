"""Sessions over REST: create, add chunks and premises, retain."""

from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Query, Request
from fastapi.responses import JSONResponse, Response

from api import listings
from api.forms.retention import RetainReply, retained_json
from api.forms.sessions import (
    ChunksAddedReply,
    ChunksReply,
    LiveSetReply,
    PremisesAddedReply,
    PremisesReply,
    RestoredReply,
    SessionReply,
    SessionsReply,
    chunks_added_json,
    live_set_json,
    premises_added_json,
    restored_json,
    session_json,
)
from api.limits import QUERY_CHARACTERS, ROOTS
from api.rest.etags import check_current, tagged
from api.rest.problems import declared, replies
from api.rest.requests import Cursor, GivenId, Id, IfMatch, IfNoneMatch, Limit, ServicesOf, WorkspaceName
from api.rest.session_bodies import ChunksBody, PremisesBody, RetainBody
from graph.errors import InvalidInput, NotAllowed
from graph.premises import HOP_LIMIT, Premise
from services.sessions import GivenChunk

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/sessions", tags=["sessions"])


@router.get("", responses=replies(SessionsReply, 404))
def list_sessions(
    workspace: WorkspaceName, services: ServicesOf, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """List sessions by id."""
    return JSONResponse(listings.list_sessions(services, workspace, cursor=cursor, limit=limit))


@router.put("/{session_id:id}", responses=replies(SessionReply, 404, created=True))
def create_session(workspace: WorkspaceName, session_id: Id, services: ServicesOf) -> Response:
    """Create the session (201), or leave it as it is (200)."""
    made, created = services.sessions.create(workspace, session_id)
    return tagged(session_json(made), status=201 if created else 200)


@router.get("/{session_id:id}", responses=replies(SessionReply, 404, etag=True))
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


@router.post("/{session_id:id}/chunks", responses=replies(ChunksAddedReply, 404, 409, 413))
def add_chunks(workspace: WorkspaceName, session_id: Id, body: ChunksBody, services: ServicesOf) -> Response:
    """Add chunks at the end, all or none. Idempotent; another text under a known id is a conflict."""
    given = [GivenChunk(**it.model_dump() | {"premises": tuple(it.premises)}) for it in body.chunks]
    return JSONResponse(
        chunks_added_json(services.sessions.add_chunks(workspace, session_id, given, counter=body.counter))
    )


@router.get("/{session_id:id}/chunks", responses=replies(ChunksReply, 404))
def list_chunks(
    workspace: WorkspaceName,
    session_id: Id,
    services: ServicesOf,
    archived: Annotated[bool, Query(description="The archived ones, without their texts.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """List chunks by position."""
    return JSONResponse(
        listings.list_chunks(services, workspace, session_id, archived=archived, cursor=cursor, limit=limit)
    )


@router.post("/{session_id:id}/chunks/{chunk_id:id}/restore", responses=replies(RestoredReply, 404))
def restore_chunk(workspace: WorkspaceName, session_id: Id, chunk_id: Id, services: ServicesOf) -> Response:
    """Restore an archived chunk at its position."""
    restored = services.sessions.restore(workspace, session_id, [chunk_id])
    return JSONResponse(restored_json(restored, services.sessions.show(workspace, session_id)))


@router.delete(
    "/{session_id:id}/chunks/{chunk_id:id}", status_code=204, response_class=Response, responses=declared(404)
)
def purge_chunk(
    workspace: WorkspaceName,
    session_id: Id,
    chunk_id: Id,
    services: ServicesOf,
    tombstone: Annotated[bool, Query(description="Keep the id from being added again with any text.")] = False,
) -> None:
    """Delete a chunk, live or archived, for good, with its premises."""
    services.sessions.purge(workspace, session_id, [chunk_id], tombstones=tombstone)


@router.post("/{session_id:id}/premises", responses=replies(PremisesAddedReply, 404, 413))
def add_premises(workspace: WorkspaceName, session_id: Id, body: PremisesBody, services: ServicesOf) -> Response:
    """Add premises, all or none; one that names an unknown chunk is refused."""
    given = [Premise(chunk=it.chunk, premise=it.premise, grade=it.grade, weight=it.weight) for it in body.premises]
    return JSONResponse(premises_added_json(services.sessions.add_premises(workspace, session_id, given)))


@router.get("/{session_id:id}/premises", responses=replies(PremisesReply, 404))
def list_premises(
    workspace: WorkspaceName, session_id: Id, services: ServicesOf, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """List what chunks rest on, for a page of chunks by position."""
    return JSONResponse(listings.list_premises(services, workspace, session_id, cursor=cursor, limit=limit))


@router.get("/{session_id:id}/live", responses=replies(LiveSetReply, 404))
def live(
    workspace: WorkspaceName,
    session_id: Id,
    services: ServicesOf,
    request: Request,
    root: Annotated[list[GivenId] | None, Query(description="Chunks to start from", max_length=ROOTS)] = None,
    query: Annotated[
        str | None,
        Query(description="Start from what the policy finds for it", min_length=1, max_length=QUERY_CHARACTERS),
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


@router.post("/{session_id:id}/retain", responses=replies(RetainReply, 404, 413))
def retain(
    workspace: WorkspaceName,
    session_id: Id,
    body: RetainBody,
    services: ServicesOf,
    request: Request,
    after: BackgroundTasks,
) -> Response:
    """Choose what to keep for a query within a budget. To apply it takes a key with the role write."""
    may_write = not request.scope["reads_only"]
    if body.apply and not may_write:
        raise NotAllowed("to apply what is kept", found="the key may read only", hint="Use a key with the role write")
    if body.tombstones and not body.apply:
        raise InvalidInput("tombstones", found="`apply` is false", hint="Set `apply` as well")
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
        pairs=body.pairs,
        ids_only=body.ids_only,
        may_write=may_write,
    )
    if may_write:
        after.add_task(services.sessions.note_beliefs, workspace, session_id, answer)
    return JSONResponse(retained_json(answer, ids_only=body.ids_only), background=after)
