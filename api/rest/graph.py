"""The neighbourhood of a node over REST, for display."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from api.forms.graph import GraphReply, graph_json
from api.limits import GRAPH_DEPTH, GRAPH_NODES, ID_CHARACTERS
from api.rest.problems import replies
from api.rest.requests import ServicesOf, WorkspaceName

router = APIRouter(tags=["graph"])


@router.get("/v1/workspaces/{workspace:id}/graph", responses=replies(GraphReply, 404))
def show_graph(
    workspace: WorkspaceName,
    services: ServicesOf,
    around: Annotated[
        str, Query(min_length=1, max_length=ID_CHARACTERS, description="An object's, memory's or intent's id.")
    ],
    depth: Annotated[int, Query(ge=0, le=GRAPH_DEPTH)] = 2,
    limit: Annotated[int, Query(ge=1, le=GRAPH_NODES)] = 200,
) -> Response:
    """Read the neighbourhood of an object, a memory or an intent."""
    return JSONResponse(graph_json(services.store.neighbourhood(workspace, around, depth=depth, limit=limit)))
