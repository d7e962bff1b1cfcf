"""The bodies that the routes of sessions take."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from api.limits import ITEMS, PREMISES_OF_A_CHUNK, QUERY_CHARACTERS, TEXT_CHARACTERS, TOKENS_OF_A_CHUNK
from api.rest.requests import Body, GivenId
from graph.chunks import ChunkKind, ChunkRole
from graph.premises import PremiseGrade
from services.retention.arms import describe_policies
from services.retention.retaining import Orphans

Share = Annotated[float, Field(ge=0, le=1)]


class ChunkBody(Body):
    """A chunk. Default of `tokens`: counted; of `role`: that of its kind, null for messages and notes. `call_id` is for
    calls and results; `premises` are ids of chunks that it rests on."""

    id: GivenId
    text: str = Field(min_length=1, max_length=TEXT_CHARACTERS)
    tokens: int | None = Field(default=None, ge=1, le=TOKENS_OF_A_CHUNK)
    kind: ChunkKind = "note"
    role: ChunkRole | None = None
    call_id: GivenId | None = None
    pinned: bool = Field(default=False, description="Keep it before any other")
    importance: Share = 0.0
    premises: list[GivenId] = Field(default_factory=list, max_length=PREMISES_OF_A_CHUNK)


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

    chunks: Annotated[list[ChunkBody], Field(max_length=ITEMS)]
    counter: Literal["words", "bytes"] = Field(default="words", description="How tokens are counted")


class PremiseBody(Body):
    """`chunk` rests on `premise`."""

    chunk: GivenId
    premise: GivenId
    grade: PremiseGrade = "declared"
    weight: Share = 1.0


class PremisesBody(Body):
    """Which chunks rest on which."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"premises": [{"chunk": "c2", "premise": "c1", "grade": "observed"}]}]},
    )

    premises: Annotated[list[PremiseBody], Field(max_length=ITEMS)]


class RetainBody(Body):
    """A query and a budget. Nothing is changed unless `apply` is true."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"query": "May Amara publish?", "budget_tokens": 4000, "explain": True}]},
    )

    query: str = Field(min_length=1, max_length=QUERY_CHARACTERS)
    budget_tokens: float = Field(description="At least 0; a fraction is rounded down")
    policy: str = Field(default="default", max_length=200, description=describe_policies())
    encoder: str | None = Field(default=None, max_length=50, description="Default: neural if installed, else hashing")
    orphans: Orphans = Field(
        default="warn", description="For a kept chunk whose premise is evicted: a warning, or its own eviction"
    )
    explain: bool = Field(default=False, description="Say why each chunk was evicted")
    apply: bool = Field(default=False, description="Archive what is evicted")
    tombstones: bool = Field(default=False, description="With `apply`: leave a hash and the reason")
    pairs: bool = Field(default=True, description="Keep calls with their results, or neither")
    ids_only: bool = Field(default=False, description="Leave the kept chunks themselves out of the reply")
