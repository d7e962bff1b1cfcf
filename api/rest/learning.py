"""Learning over REST: a SQL statement becomes a memory of the objects that it used."""

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import ConfigDict, Field, JsonValue

from api.forms.learning import LearnReply, learnt_json
from api.limits import STATEMENT_CHARACTERS
from api.rest.idempotency import OnceOf
from api.rest.problems import replies
from api.rest.requests import Body, DiscoveryId, Intent, ServicesOf, WorkspaceName

router = APIRouter(prefix="/v1/workspaces/{workspace:id}/learn", tags=["learning"])

EXAMPLE: dict[str, JsonValue] = {
    "intent": "average loan amount by district",
    "sql": "SELECT a.district_id, AVG(l.amount) FROM loan l JOIN account a ON a.id = l.account_id GROUP BY 1",
    "dialect": "sqlite",
    "succeeded": True,
}

REPLY: LearnReply = {
    "memory": "m_67bb0704621c44f682cdd955",
    "objects": ["account", "account.district_id", "account.id", "loan", "loan.account_id", "loan.amount"],
    "unresolved": [],
    "state": "confirmed",
}


class LearnBody(Body):
    """A statement that ran for an intent, and whether it was of use."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    intent: Intent
    sql: str = Field(min_length=1, max_length=STATEMENT_CHARACTERS, description="The statement that ran")
    dialect: str = Field(default="", max_length=50, description="As sqlglot names it; empty for standard SQL")
    succeeded: bool = Field(default=True, description="False: evidence against the memory")
    discovery: DiscoveryId = Field(default=None, description="The discovery that the statement came from")
    keep_sql: bool = Field(default=False, description="Keep the statement with its literals")


@router.post("", responses=replies(LearnReply, 404, 409, 413, example=REPLY))
def learn(workspace: WorkspaceName, body: LearnBody, services: ServicesOf, once: OnceOf) -> Response:
    """Remember which tables and columns a statement used."""

    def act() -> tuple[int, LearnReply]:
        learnt = services.learning.learn(workspace, **body.model_dump(), request=once.request)
        return 200, learnt_json(learnt.useful())

    return once(workspace, act)
