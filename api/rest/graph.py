"""The graph around a node over REST, as people see it. Nothing is written here."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from api.forms.graph import graph_json
from api.rest.problems import declared
from api.rest.requests import ID_LENGTH, ServicesOf, WorkspaceName

router = APIRouter(tags=["graph"])


class NodeReply(BaseModel):
    """A node: its labels, and its properties without embeddings."""

    id: str
    labels: list[str]
    properties: dict[str, Any]


class EndReply(BaseModel):
    """One end of a relationship: the first label and the id of a node."""

    label: str
    id: str


class RelationshipReply(BaseModel):
    """A relationship between two of the nodes."""

    type: str
    start: EndReply
    end: EndReply
    properties: dict[str, Any]


class GraphReply(BaseModel):
    """The neighbourhood of a node; `truncated` where `limit` cut it."""

    nodes: list[NodeReply]
    relationships: list[RelationshipReply]
    truncated: bool


@router.get("/v1/workspaces/{workspace:id}/graph", responses={200: {"model": GraphReply}, **declared(404)})
def show_graph(
    workspace: WorkspaceName,
    services: ServicesOf,
    around: Annotated[
        str, Query(min_length=1, max_length=ID_LENGTH, description="An object's, memory's or intent's id.")
    ],
    depth: Annotated[int, Query(ge=0, le=4)] = 2,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> Response:
    """Read the neighbourhood of an object, a memory or an intent."""
    return JSONResponse(graph_json(services.store.neighbourhood(workspace, around, depth=depth, limit=limit)))
