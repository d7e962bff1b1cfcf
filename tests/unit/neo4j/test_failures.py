"""What the driver raises, as callers see it."""

from __future__ import annotations

import pytest
from neo4j.exceptions import Neo4jError

from graph.errors import StoreUnavailable
from graph.neo4j.failures import translation


@pytest.mark.parametrize("code", ["TransactionTimedOut", "TransactionTimedOutClientConfiguration", "LockClientStopped"])
def test_a_query_that_ran_out_of_time_may_be_asked_again(code: str) -> None:
    error = Neo4jError._hydrate_neo4j(code=f"Neo.ClientError.Transaction.{code}", message="too long")
    assert isinstance(translation(error, asked="evidence", url="bolt://127.0.0.1:7687"), StoreUnavailable)


def test_a_transaction_too_large_for_the_server_is_said_to_be_that() -> None:
    error = Neo4jError._hydrate_neo4j(code="Neo.TransientError.General.MemoryPoolOutOfMemoryError", message="2.0 MiB")
    told = translation(error, asked="add chunks", url="bolt://127.0.0.1:7687")
    assert isinstance(told, StoreUnavailable)
    assert "Send less in one call" in str(told)
