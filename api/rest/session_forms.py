"""The bodies that the routes of sessions take, and the replies that they give; the routes are next door."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.rest.requests import ID_LENGTH, Body
from graph.premises import PremiseGrade
from services.retention.explanations import Reason
from services.retention.retaining import Orphans
from services.sessions.inputs import TEXT_CHARACTERS

MOST_CHUNKS = 100_000  # in one call; its bytes are bounded as those of any body

GivenId = Annotated[str, Field(min_length=1, max_length=ID_LENGTH)]
Share = Annotated[float, Field(ge=0, le=1)]


class ChunkBody(Body):
    """A chunk. `tokens` is counted where it is not given; `premises` are ids of chunks that it rests on."""

    id: GivenId
    text: str = Field(min_length=1, max_length=TEXT_CHARACTERS)
    tokens: int | None = Field(default=None, ge=1, le=2**40)
    pinned: bool = Field(default=False, description="Kept before any other")
    importance: Share = 0.0
    premises: list[GivenId] = Field(default_factory=list, max_length=10_000)


class ChunksBody(Body):
    """Chunks in order of ingestion."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "chunks": [
                        {"id": "c1", "text": "Permit P-17 was issued to Amara.", "pinned": True},
                        {"id": "c2", "text": "The holder of P-17 may publish.", "premises": ["c1"]},
                    ]
                }
            ]
        },
    )

    chunks: Annotated[list[ChunkBody], Field(max_length=MOST_CHUNKS)]
    counter: Literal["words", "bytes"] = Field(default="words", description="How tokens are counted")


class PremiseBody(Body):
    """`chunk` rests on `premise`."""

    chunk: GivenId
    premise: GivenId
    grade: PremiseGrade = "declared"
    weight: Share = 1.0


class PremisesBody(Body):
    """What chunks rest on."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"premises": [{"chunk": "c2", "premise": "c1", "grade": "observed"}]}]},
    )

    premises: Annotated[list[PremiseBody], Field(max_length=MOST_CHUNKS)]


class RetainBody(Body):
    """A query and a budget. Nothing is changed unless `apply` is true."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "May Amara publish?", "budget_tokens": 4000, "explain": True}]},
    )

    query: str = Field(min_length=1, max_length=100_000)
    budget_tokens: float = Field(description="At least 0; a fraction is rounded down")
    policy: str = Field(default="default", max_length=200, description="With parameters: dsgc@lambda=0.5")
    encoder: str | None = Field(default=None, max_length=50, description="The neural one where there is one")
    orphans: Orphans = Field(default="warn", description="A conclusion whose premise had to go is told, or goes too")
    explain: bool = Field(default=False, description="Say why each evicted chunk had to go")
    apply: bool = Field(default=False, description="Archive what is evicted")
    tombstones: bool = Field(default=False, description="With `apply`: leave a hash and the reason")


class SessionReply(BaseModel):
    """A session: live chunks and their tokens, archived ones, premises, tombstones, and all that were ever added."""

    id: str
    created_at: str
    chunks: int
    tokens: int
    archived: int
    premises: int
    tombstones: int
    added: int
    version: int


class SessionsReply(BaseModel):
    """One page of sessions, by id; `next_cursor` is null on the last one."""

    sessions: list[SessionReply]
    next_cursor: str | None


class ChunkReply(BaseModel):
    """A chunk; the text of an archived one is not shown."""

    id: str
    position: int
    text: str | None = None
    tokens: int
    pinned: bool
    importance: float
    archived_at: str | None


class ChunksReply(BaseModel):
    """One page of chunks, by position; `next_cursor` is null on the last one."""

    chunks: list[ChunkReply]
    next_cursor: str | None


class ChunksAddedReply(BaseModel):
    """How many were added, changed, or there. Ids of those that were not added again: archived, or buried (a tombstone
    says that they were evicted, and what they said)."""

    added: int
    updated: int
    unchanged: int
    archived: list[str]
    buried: list[str]
    session: SessionReply


class PremisesAddedReply(BaseModel):
    """How many were new, are trusted more than before, or were there."""

    added: int
    updated: int
    unchanged: int
    session: SessionReply


class LiveReply(BaseModel):
    """A live chunk: its liveness by the policy, and a shortest path from a root to it."""

    chunk: str
    liveness: float
    hops: int
    path: list[str]


class LiveSetReply(BaseModel):
    """What is live in a session, most live first, ties by position; `roots` by position."""

    session: str
    roots: list[str]
    live: list[LiveReply]


class RestoredReply(BaseModel):
    """The chunk that is back at its place."""

    restored: list[str]
    session: SessionReply


class WarningReply(BaseModel):
    """A kept chunk that lacks a premise, or a pinned one without room; `what` says it in words."""

    chunk: str
    premise: str | None
    what: str


class EvictedReply(BaseModel):
    """Why a chunk had to go: what was taken before it, by how much, and the premises that kept that one alive."""

    chunk: str
    score: float
    reason: Reason
    competitor: str | None
    gap: float | None
    path: list[str]


class RetainReply(BaseModel):
    """What to keep, in order of selection and of reading; `archived` is null unless it was applied."""

    kept: list[str]
    reading_order: list[str]
    evicted: list[str]
    tokens: int
    budget_tokens: int
    warnings: list[WarningReply]
    trace: list[EvictedReply]
    policy: str
    encoder: str
    degraded: list[str]
    archived: list[str] | None
