"""Discovery over REST. The discovery is recorded after the response is sent."""

from typing import Literal

from fastapi import APIRouter, BackgroundTasks, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ConfigDict, Field

from api.forms.discovery import DiscoverReply, answer_json
from api.limits import RESULTS
from api.rest.hints import routed
from api.rest.problems import replies
from api.rest.requests import Body, Intent, ServicesOf, WorkspaceName
from graph.catalogue import ObjectKind
from services.discovery.arms import describe_rules

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/discover", tags=["discovery"])


class DiscoverBody(Body):
    """An intent, and how to search for it."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"intent": "average loan amount by district", "limit": 5}]}
    )

    intent: Intent
    limit: int = Field(default=10, ge=1, le=RESULTS, description="How many objects at most")
    kinds: list[ObjectKind] | None = Field(
        default=None, min_length=1, max_length=2, description="Only objects of these kinds"
    )
    use_memory: bool = Field(default=True, description="False: search the catalogue only")
    retriever: Literal["blend", "tfidf", "bm25", "neural"] = Field(
        default="blend", description="How the catalogue is searched"
    )
    rule: str | None = Field(
        default=None, min_length=1, max_length=100, description=f"{describe_rules()} Default: the retriever's best."
    )
    join: bool = Field(default=False, description="Also return how the tables join, with those between")


REPLY: DiscoverReply = {
    "discovery": "d_5f0c3a9be1d24c7786a1f0b2",
    "results": [
        {
            "id": "loan.amount",
            "kind": "attribute",
            "table": "loan",
            "name": "amount",
            "description": "amount in crowns",
            "score": 0.75,
            "parts": {"registry": 0.5, "memory": 0.25},
            "memories": [{"id": "m_67bb0704621c44f682cdd955", "intent": "loan sums by district", "share": 0.25}],
        }
    ],
    "retriever": "blend",
    "rule": "default",
    "degraded": [],
}


@router.post("", responses=replies(DiscoverReply, 404, 413, example=REPLY))
def discover(
    workspace: WorkspaceName, body: DiscoverBody, services: ServicesOf, request: Request, after: BackgroundTasks
) -> Response:
    """Find the tables and columns that serve an intent."""
    may_write = not request.scope["reads_only"]
    answer = services.discovery.discover(workspace, **body.model_dump(), may_write=may_write)
    if answer.degraded:
        request.app.state.measures.degraded.inc()
    if may_write:
        after.add_task(services.discovery.record, workspace, answer)
    reply = answer_json(answer)
    reply["degraded"] = [routed(reason) for reason in answer.degraded]
    return JSONResponse(reply, background=after)
