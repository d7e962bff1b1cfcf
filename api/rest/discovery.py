"""Discovery over REST: an intent goes in, ranked objects come out. The record of it is made after the answer."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, BackgroundTasks, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from api.forms.discovery import answer_json
from api.rest.problems import declared
from api.rest.requests import Body, ServicesOf, WorkspaceName
from graph.catalogue import ObjectKind
from services.discovery.arms import describe_rules

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/discover", tags=["discovery"])

INTENT_LENGTH = 10_000
DISCOVER_LIMIT = 100
Intent = Annotated[str, Field(min_length=1, max_length=INTENT_LENGTH, description="What is to be found out, in words")]


class DiscoverBody(Body):
    """What to look for, and how."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"intent": "average loan amount by district", "limit": 5}]}
    )

    intent: Intent
    limit: int = Field(default=10, ge=1, le=DISCOVER_LIMIT, description="How many objects at most")
    kinds: list[ObjectKind] | None = Field(
        default=None, min_length=1, max_length=2, description="Only objects of these kinds"
    )
    use_memory: bool = Field(default=True, description="Without: what the catalogue alone says")
    retriever: Literal["blend", "tfidf", "bm25", "neural"] = Field(
        default="blend", description="How the catalogue is searched"
    )
    rule: str | None = Field(
        default=None, min_length=1, max_length=100, description=f"{describe_rules()} Default: the retriever's best."
    )
    join: bool = Field(default=False, description="Also how their tables join, with the tables between")


REPLY: dict[str, JsonValue] = {
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


class PartsReply(BaseModel):
    """What the score is made of: the parts sum to it."""

    registry: float
    memory: float


class VoiceReply(BaseModel):
    """A memory that spoke, and its share of the memory part."""

    id: str
    intent: str
    share: float


class HitReply(BaseModel):
    """A table or an attribute, with the reasons for its place."""

    id: str
    kind: ObjectKind
    table: str | None
    name: str
    description: str
    score: float
    parts: PartsReply
    memories: list[VoiceReply]


class StepReply(BaseModel):
    """From a table of the tree to the next: the references between the two, and the hits that it is for."""

    model_config = ConfigDict(serialize_by_alias=True)

    start: str = Field(alias="from")
    end: str = Field(alias="to")
    references: list[tuple[str, str]]
    serves: list[str]


class JoinReply(BaseModel):
    """How the tables join, outwards from the best; `added` are tables between, `unconnected` hits without a path."""

    root: str
    steps: list[StepReply]
    added: list[str]
    unconnected: list[str]


class DiscoverReply(BaseModel):
    """The objects, best first; `degraded` says in words what could not be used."""

    model_config = ConfigDict(json_schema_extra={"examples": [REPLY]})

    discovery: str
    results: list[HitReply]
    retriever: str
    rule: str
    degraded: list[str]
    join: JoinReply | None = Field(default=None, description="Only where it was asked for, and there are results")


@router.post("", responses={200: {"model": DiscoverReply}, **declared(404, 413)})
def discover(
    workspace: WorkspaceName, body: DiscoverBody, services: ServicesOf, request: Request, after: BackgroundTasks
) -> Response:
    """Find the tables and columns that serve an intent."""
    answer = services.discovery.discover(
        workspace,
        body.intent,
        limit=body.limit,
        kinds=body.kinds,
        use_memory=body.use_memory,
        retriever=body.retriever,
        rule=body.rule,
        join=body.join,
        may_write=not request.scope["reads_only"],
    )
    if answer.degraded:
        request.app.state.measures.degraded.inc()
    if not request.scope["reads_only"]:
        after.add_task(services.discovery.record, workspace, answer)
    return JSONResponse(answer_json(answer), background=after)
