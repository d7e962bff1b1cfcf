"""Trust over REST: what outcomes have earned each rule in a workspace, shown and forgotten. Learning earns it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from api.forms.memories import ResetReply, TrustReply, trust_json
from api.rest.problems import replies
from api.rest.requests import ServicesOf, WorkspaceName

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/trust", tags=["trust"])


@router.get("", responses=replies(TrustReply, 404))
def list_trust(workspace: WorkspaceName, services: ServicesOf) -> Response:
    """Read what outcomes have earned each rule."""
    return JSONResponse(trust_json(services.discovery.list_trust(workspace)))


@router.delete("", responses=replies(ResetReply, 404))
def reset_trust(workspace: WorkspaceName, services: ServicesOf) -> Response:
    """Forget what outcomes have earned the rules; memories stay as they are."""
    return JSONResponse({"forgotten": services.discovery.reset_trust(workspace)})
