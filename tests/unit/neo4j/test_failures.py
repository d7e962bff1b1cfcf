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
