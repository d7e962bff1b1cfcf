"""Trust over REST: how much weight memory gets by each rule, as learned from outcomes."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from api.forms.memories import ResetReply, TrustReply, trust_json
from api.rest.problems import replies
from api.rest.requests import ServicesOf, WorkspaceName

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/trust", tags=["trust"])


@router.get("", responses=replies(TrustReply, 404))
def list_trust(workspace: WorkspaceName, services: ServicesOf) -> Response:
    """Read the trust of each rule."""
    return JSONResponse(trust_json(services.discovery.list_trust(workspace)))


@router.delete("", responses=replies(ResetReply, 404))
def reset_trust(workspace: WorkspaceName, services: ServicesOf) -> Response:
    """Reset the trust of all rules; memories stay as they are."""
    return JSONResponse({"forgotten": services.discovery.reset_trust(workspace)})
