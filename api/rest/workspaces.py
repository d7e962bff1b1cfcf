"""Workspaces over REST: create, list, read, delete."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from api.forms.workspaces import WorkspaceReply, WorkspacesReply, workspace_json, workspaces_json
from api.rest.etags import check_current, is_any, tagged
from api.rest.problems import declared, replies
from api.rest.requests import IfMatch, IfNoneMatch, ServicesOf, WorkspaceName

router = APIRouter(tags=["workspaces"])


@router.get("/v1/workspaces", responses=replies(WorkspacesReply))
def list_workspaces(request: Request, services: ServicesOf) -> Response:
    """List the workspaces."""
    key = request.scope["key"]
    found = [item for item in services.workspaces.list() if key is None or key.opens(item.name)]
    return JSONResponse(workspaces_json(found))


@router.put("/v1/workspaces/{workspace:id}", responses=replies(WorkspaceReply, created=True))
def create_workspace(workspace: WorkspaceName, services: ServicesOf) -> Response:
    """Create the workspace (201), or leave it as it is (200)."""
    made, created = services.workspaces.create(workspace)
    return tagged(workspace_json(made), status=201 if created else 200)


@router.get("/v1/workspaces/{workspace:id}", responses=replies(WorkspaceReply, 404, etag=True))
def show_workspace(workspace: WorkspaceName, services: ServicesOf, if_none_match: IfNoneMatch = None) -> Response:
    """Read the workspace with its counts."""
    return tagged(workspace_json(services.workspaces.show(workspace)), if_none_match=if_none_match)


@router.delete(
    "/v1/workspaces/{workspace:id}", status_code=204, response_class=Response, responses=declared(404, 409, 412)
)
def delete_workspace(workspace: WorkspaceName, services: ServicesOf, if_match: IfMatch = None) -> None:
    """Delete the workspace with everything in it."""
    if is_any(if_match):
        services.workspaces.delete(workspace)
        return
    seen = services.workspaces.show(workspace)
    check_current(workspace_json(seen), if_match=if_match)
    services.workspaces.delete(workspace, stamp=seen.stamp)
