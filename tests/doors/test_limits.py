"""Limits are the same at every door: what the services take, REST takes, and what they refuse, both doors refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api import limits
from services import limits as of_services

BASE = "/v1/workspaces/default"


def test_the_doors_list_every_limit_of_the_services() -> None:
    names = {name for name in vars(of_services) if name.isupper()}
    assert names
    assert {name: vars(limits).get(name) for name in names} == {name: vars(of_services)[name] for name in names}


@pytest.mark.parametrize("door", ["learn", "memories"])
def test_a_statement_is_as_long_at_each_door(stocked: TestClient, door: str) -> None:
    def body(characters: int) -> dict[str, Any]:
        sql = "SELECT SUM(amount) FROM loan".ljust(characters)
        if door == "learn":
            return {"intent": "loan sums", "sql": sql}
        return {"intent": "loan sums", "objects": ["loan.amount"], "evidence": {"kind": "executed_sql", "sql": sql}}

    assert stocked.post(f"{BASE}/{door}", json=body(limits.STATEMENT_CHARACTERS)).status_code in (200, 201)
    assert stocked.post(f"{BASE}/{door}", json=body(limits.STATEMENT_CHARACTERS + 1)).status_code == 422


def test_an_intent_is_as_long_at_each_door(stocked: TestClient, retinue: Callable[..., Any]) -> None:
    for more, status, code in ((0, 200, 0), (1, 422, 5)):
        intent = "x" * (limits.INTENT_CHARACTERS + more)
        assert stocked.post(f"{BASE}/discover", json={"intent": intent}).status_code == status
        assert stocked.get(f"{BASE}/memories", params={"intent": intent}).status_code == status
        assert retinue("discover", intent).code == code


def test_a_page_is_as_long_at_each_door(stocked: TestClient, retinue: Callable[..., Any]) -> None:
    for more, status, code in ((0, 200, 0), (1, 422, 2)):
        limit = str(limits.PAGE + more)
        assert stocked.get(f"{BASE}/objects", params={"limit": limit}).status_code == status
        assert retinue("catalog", "list", "--limit", limit).code == code
