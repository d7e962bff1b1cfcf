"""The bodies that the routes of memories take."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, field_validator, model_validator

from api.limits import FORGOTTEN_IDS, NOTE_CHARACTERS, OBJECTS_OF_A_MEMORY, STATEMENT_CHARACTERS
from api.rest.requests import Body, DiscoveryId, GivenId, Intent
from graph.memories import Outcome


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
        },
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
    def one_of_both(self) -> ForgetBody:
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
    def one_thing(self) -> EditBody:
        if (self.state is None) == (self.intent is None and self.objects is None):
            raise ValueError('give either "state", or "intent" and "objects" or one of the two')
        if self.note and self.state is None:
            raise ValueError('"note" goes with "state"')
        return self
