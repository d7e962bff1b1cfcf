"""Trust over REST: what outcomes have earned each rule in a workspace, shown and forgotten. Learning earns it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from api.forms.memories import trust_json
from api.rest.problems import declared
from api.rest.requests import ServicesOf, WorkspaceName

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/trust", tags=["trust"])


class RuleReply(BaseModel):
    """A rule, by how much it led over no memory in so many outcomes, and how far (0 to 1) it is heard for it."""

    rule: str
    lead: float
    outcomes: int
    heard: float


class TrustReply(BaseModel):
    """The rules that an outcome has judged, by name; any other is heard as it is at the start."""

    trust: list[RuleReply]


class ResetReply(BaseModel):
    """Of how many rules there was something to forget."""

    forgotten: int


@router.get("", responses={200: {"model": TrustReply}, **declared(404)})
def list_trust(workspace: WorkspaceName, services: ServicesOf) -> Response:
    """Read what outcomes have earned each rule."""
    return JSONResponse(trust_json(services.discovery.list_trust(workspace)))


@router.delete("", responses={200: {"model": ResetReply}, **declared(404)})
def reset_trust(workspace: WorkspaceName, services: ServicesOf) -> Response:
    """Forget what outcomes have earned the rules; memories stay as they are."""
    return JSONResponse({"forgotten": services.discovery.reset_trust(workspace)})
