"""The histories find faults: each that `planted` has is planted in one of two stores, and they differ.

The same histories in each run: what finds a fault here is not luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from graph.embedded import open_store
from graph.neo4j.store import open_store as open_neo4j
from graph.store import Store
from kit.histories.planted import EMBEDDED, NEO4J, Planted, misled
from kit.histories.steps import History
from kit.histories.twins import Twins
from kit.servers.neo4j_servers import Server

Opener = Callable[[], Store]
HISTORIES = 200


@pytest.fixture
def played() -> Iterator[Callable[[Opener], Twins]]:
    """Plays histories on a right store and on what the given opens, until they differ."""
    made: list[tuple[type[History], Twins]] = []

    def play(opener: Opener) -> Twins:
        twins = Twins(lambda: open_store("memory://"), opener)
        machine = History.on(twins)
        made.append((machine, twins))
        some = settings(
            max_examples=HISTORIES,
            stateful_step_count=30,
            phases=[Phase.generate],
            derandomize=True,
            database=None,
            report_multiple_bugs=False,
        )
        try:
            run_state_machine_as_test(machine, settings=some)
        except Exception:  # the difference, or whatever a second try at the same history makes of it
            if not twins.differed:
                raise
        return twins

    yield play
    for machine, twins in made:
        for name in machine.names:
            twins.sides[1].store.delete_workspace(name)
        twins.close()


@pytest.mark.tier("landing")
@pytest.mark.parametrize("fault", EMBEDDED)
def test_a_fault_of_the_embedded_store_is_found(fault: str, played: Callable[[Opener], Twins], tmp_path: Path) -> None:
    right = lambda: open_store(f"sqlite:///{tmp_path / 'graph.db'}")  # noqa: E731
    twins = played(lambda: Planted(right, EMBEDDED[fault]))
    assert twins.differed


@pytest.mark.tier("thorough")
@pytest.mark.parametrize("fault", NEO4J)
@pytest.mark.parametrize("neo4j_server", ["neo4j_26"], indirect=True)
def test_a_fault_of_a_query_is_found(fault: str, played: Callable[[Opener], Twins], neo4j_server: Server) -> None:
    server = neo4j_server
    twins = played(lambda: misled(open_neo4j(server.url, user=server.user, password=server.password), NEO4J[fault]))
    assert twins.differed
