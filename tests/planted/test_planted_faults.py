"""Each fault of `kit.planted` is found by the tests named for it, in the tier named for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.planted import FAULTS, failing, plant
from kit.servers.neo4j_servers import Server


@pytest.mark.parametrize("number", [number for number, it in FAULTS.items() if not it.in_query])
def test_a_planted_fault_is_found(number: int, tmp_path: Path) -> None:
    assert failing(FAULTS[number], plant(FAULTS[number], tmp_path), RETINUE_TEST_NEO4J=" ; ") != []


@pytest.mark.parametrize("number", [number for number, it in FAULTS.items() if it.in_query])
@pytest.mark.parametrize("neo4j_server", ["neo4j_26"], indirect=True)
def test_a_fault_planted_in_a_query_is_found(number: int, neo4j_server: Server, tmp_path: Path) -> None:
    assert failing(FAULTS[number], plant(FAULTS[number], tmp_path), RETINUE_TEST_NEO4J=str(neo4j_server)) != []
