"""Memories over REST: create, list, read, edit, give feedback, forget."""

from typing import Annotated, Literal, Self

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BeforeValidator, ConfigDict, Field, field_validator, model_validator

from api import listings
from api.forms.memories import ForgetReply, MemoriesReply, MemoryReply, forgotten_json, memory_json
from api.limits import FORGOTTEN_IDS, INTENT_CHARACTERS, NOTE_CHARACTERS, OBJECTS_OF_A_MEMORY, STATEMENT_CHARACTERS
from api.rest.etags import check_current, tagged, tagged_reply
from api.rest.idempotency import OnceOf
from api.rest.problems import declared, replies
from api.rest.requests import (
    Body,
    Cursor,
    DiscoveryId,
    GivenId,
    Id,
    IfMatch,
    IfNoneMatch,
    Intent,
    Limit,
    ServicesOf,
    WorkspaceName,
)
from api.wiring import Services
from graph.errors import StaleRevision, StoreUnavailable
from graph.memories import MemoryState, Outcome
from services.memories import Feedback

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/memories", tags=["memories"])


def _true_itself(value: object) -> object:
    if value is not True:  # 1 and 1.0 are equal to it, but must not delete everything
        raise ValueError("only true is allowed")
    return value


ObjectIds = Annotated[list[GivenId], Field(min_length=1, max_length=OBJECTS_OF_A_MEMORY)]
Note = Annotated[str, Field(max_length=NOTE_CHARACTERS, description="Why, in words")]


class EvidenceBody(Body):
    """Evidence for a memory. A statement is stored with its literals masked."""

    kind: Literal["executed_sql", "confirmed", "annotated"]
    note: Note = ""
    discovery: DiscoveryId = None
    sql: str | None = Field(default=None, min_length=1, max_length=STATEMENT_CHARACTERS)
    dialect: str = Field(default="", max_length=50)

    @field_validator("dialect")
    @classmethod
    def known(cls, dialect: str) -> str:
        from services.learning.parsing import known_dialect  # here, since it imports sqlglot

        if not known_dialect(dialect):
            raise ValueError("unknown dialect")
        return dialect


class MemoryBody(Body):
    """An intent and the objects that served it. Without evidence it is a proposal."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "intent": "average loan amount by district",
                    "objects": ["loan.amount", "account.district_id"],
                    "evidence": {"kind": "annotated", "note": "as the risk team counts it"},
                }
            ]
        }
    )

    intent: Intent
    objects: ObjectIds
    evidence: EvidenceBody | None = None


class FeedbackBody(Body):
    """An outcome for a memory."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"outcome": "success"}]})

    outcome: Outcome
    note: Note = ""
    discovery: DiscoveryId = None


class ForgetBody(Body):
    """Which memories to forget: these ids, or all."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ids": ["m_0123456789abcdef01234567"]}]})

    ids: Annotated[list[GivenId], Field(min_length=1, max_length=FORGOTTEN_IDS)] | None = None
    all: Annotated[Literal[True], BeforeValidator(_true_itself)] | None = None

    @model_validator(mode="after")
    def one_of_both(self) -> Self:
        if (self.ids is None) == (self.all is None):
            raise ValueError('give either "ids" or "all": true')
        return self


class EditBody(Body):
    """A state set by a person, or changes; another intent or other objects give the memory another id."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"state": "refuted", "note": "c7 is the tax"}, {"intent": "mean loan amount by district"}]
        }
    )

    state: Literal["confirmed", "refuted"] | None = None
    note: Note = ""
    intent: Intent | None = None
    objects: ObjectIds | None = None

    @model_validator(mode="after")
    def one_thing(self) -> Self:
        if (self.state is None) == (self.intent is None and self.objects is None):
            raise ValueError('give either "state", or "intent" and "objects" or one of the two')
        if self.note and self.state is None:
            raise ValueError('"note" goes with "state"')
        return self


@router.post("", responses=replies(MemoryReply, 404, 409, 413, created=True))
def remember(workspace: WorkspaceName, body: MemoryBody, services: ServicesOf, once: OnceOf) -> Response:
    """Remember which objects served an intent: 201 for a new memory, 200 for a known one."""

    def act() -> tuple[int, MemoryReply]:
        given = body.evidence
        if given is None:
            memory = services.memories.remember(workspace, body.intent, body.objects)
        else:
            memory = services.memories.remember(
                workspace,
                body.intent,
                body.objects,
                evidence=Feedback(kind=given.kind, note=given.note, discovery=given.discovery, request=once.request),
                statement=given.sql and services.learning.masked(workspace, given.sql, dialect=given.dialect),
                dialect=given.dialect or None,
            )
        return 201 if memory.revision == 1 else 200, memory_json(memory)

    answer, shown = tagged_reply(once(workspace, act))
    answer.headers["Location"] = f"/v1/workspaces/{workspace}/memories/{shown['id']}"
    return answer


@router.get("", responses=replies(MemoriesReply, 404))
def list_memories(
    workspace: WorkspaceName,
    services: ServicesOf,
    state: Annotated[MemoryState | None, Query(description="Only those in this state.")] = None,
    suspended: Annotated[bool | None, Query(description="Only those that miss objects, or only the others.")] = None,
    intent: Annotated[
        str | None, Query(min_length=1, max_length=INTENT_CHARACTERS, description="Of exactly this intent.")
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Response:
    """List memories by id."""
    return JSONResponse(
        listings.list_memories(
            services, workspace, state=state, suspended=suspended, intent=intent, cursor=cursor, limit=limit
        )
    )


@router.post("/delete", responses=replies(ForgetReply, 404, 413))
def forget_memories(workspace: WorkspaceName, body: ForgetBody, services: ServicesOf) -> Response:
    """Forget many memories, with a report by id; one failure does not stop the others."""
    if body.ids is None:
        return JSONResponse(forgotten_json(services.memories.forget_all(workspace)))
    return JSONResponse(forgotten_json(services.memories.forget(workspace, body.ids)))


@router.get("/{memory_id:id}", responses=replies(MemoryReply, 404, etag=True))
def show_memory(
    workspace: WorkspaceName, memory_id: Id, services: ServicesOf, if_none_match: IfNoneMatch = None
) -> Response:
    """Read a memory with its evidence."""
    return tagged(memory_json(services.memories.show(workspace, memory_id)), if_none_match=if_none_match)


@router.patch("/{memory_id:id}", responses=replies(MemoryReply, 404, 409, 412, 413))
def edit_memory(
    workspace: WorkspaceName, memory_id: Id, body: EditBody, services: ServicesOf, if_match: IfMatch = None
) -> Response:
    """Confirm or refute a memory, or change its intent or objects, which changes its id."""
    revision = _revision(services, workspace, memory_id, if_match)
    if body.state is not None:
        judge = services.memories.confirm if body.state == "confirmed" else services.memories.refute
        edited = judge(workspace, memory_id, note=body.note, revision=revision)
    else:
        edited = services.memories.edit(
            workspace, memory_id, intent=body.intent, objects=body.objects, revision=revision
        )
    answer = tagged(memory_json(edited))
    answer.headers["Content-Location"] = f"/v1/workspaces/{workspace}/memories/{edited.id}"
    return answer


@router.delete("/{memory_id:id}", status_code=204, response_class=Response, responses=declared(404, 412))
def forget_memory(workspace: WorkspaceName, memory_id: Id, services: ServicesOf, if_match: IfMatch = None) -> None:
    """Forget a memory."""
    revision = _revision(services, workspace, memory_id, if_match)
    [done] = services.memories.forget(workspace, [memory_id], revision=revision)
    if done.status == "error":
        raise StoreUnavailable(f"forgetting {memory_id}", found=done.error or "it failed", hint="Try again later")
    if done.status == "missing":
        services.memories.show(workspace, memory_id)  # not there at all: not found
        raise StaleRevision(f"forgetting {memory_id}", found="it has changed since", hint="Read it again")


@router.post("/{memory_id:id}/feedback", responses=replies(MemoryReply, 404, 409, 412, 413))
def give_feedback(
    workspace: WorkspaceName,
    memory_id: Id,
    body: FeedbackBody,
    services: ServicesOf,
    once: OnceOf,
    if_match: IfMatch = None,
) -> Response:
    """Record an outcome of a memory, which can change its state."""

    def act() -> tuple[int, MemoryReply]:
        there = services.memories.show(workspace, memory_id)
        sent_again = once.request is not None and any(item.request == once.request for item in there.evidence)
        # the memory has changed since the caller read it by this same request, whose reply was lost
        revision = None if sent_again else _revision(services, workspace, memory_id, if_match)
        memory = services.memories.feedback(
            workspace, memory_id, **body.model_dump(), request=once.request, revision=revision
        )
        return 200, memory_json(memory)

    return tagged_reply(once(workspace, act))[0]


def _revision(services: Services, workspace: str, memory_id: str, if_match: str | None) -> int | None:
    """Return the revision that the ETag stands for, None if the change is unconditional."""
    if if_match is None:
        return None
    memory = services.memories.show(workspace, memory_id)
    check_current(memory_json(memory), if_match=if_match)
    return memory.revision
