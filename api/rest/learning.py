"""Learning over REST: the SQL that ran becomes the memory of what served. Parsing belongs to the service."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from api.forms.learning import learnt_json
from api.rest.discovery import Intent
from api.rest.idempotency import OnceOf
from api.rest.problems import declared
from api.rest.requests import Body, ServicesOf, WorkspaceName
from graph.memories import MemoryState

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/learn", tags=["learning"])

STATEMENT_LENGTH = 200_000
EXAMPLE: dict[str, JsonValue] = {
    "intent": "average loan amount by district",
    "sql": "SELECT a.district_id, AVG(l.amount) FROM loan l JOIN account a ON a.id = l.account_id GROUP BY 1",
    "dialect": "sqlite",
    "succeeded": True,
}

REPLY: dict[str, JsonValue] = {
    "memory": "m_67bb0704621c44f682cdd955",
    "objects": ["account", "account.district_id", "account.id", "loan", "loan.account_id", "loan.amount"],
    "unresolved": [],
    "state": "confirmed",
}


class LearnBody(Body):
    """A statement that ran for an intent, and whether it served."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    intent: Intent
    sql: str = Field(min_length=1, max_length=STATEMENT_LENGTH, description="The statement that ran")
    dialect: str = Field(default="", max_length=50, description="As sqlglot names it; empty for standard SQL")
    succeeded: bool = Field(default=True, description="Whether it served; where not, it counts against the memory")
    discovery: str | None = Field(
        default=None, max_length=200, description="The discovery that the statement came from"
    )
    keep_sql: bool = Field(default=False, description="Keep the statement with its literals")


class LearnReply(BaseModel):
    """The memory, the objects that the statement used, and the names that the catalogue does not know."""

    model_config = ConfigDict(json_schema_extra={"examples": [REPLY]})

    memory: str | None
    objects: list[str]
    unresolved: list[str]
    state: MemoryState | None


@router.post("", responses={200: {"model": LearnReply}, **declared(404, 409, 413)})
def learn(workspace: WorkspaceName, body: LearnBody, services: ServicesOf, once: OnceOf) -> Response:
    """Remember which tables and columns a statement used."""

    def act() -> tuple[int, dict[str, Any]]:
        learnt = services.learning.learn(
            workspace,
            body.intent,
            body.sql,
            dialect=body.dialect,
            succeeded=body.succeeded,
            discovery=body.discovery,
            keep_sql=body.keep_sql,
            request=once.request,
        )
        return 200, learnt_json(learnt.useful())

    return once(workspace, act)
