"""The same random history of sessions on memory:// and on each other back end gives the same answers and the same
graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from graph.chunks import Chunks
from graph.embedded import open_store
from graph.premises import Premises
from graph.session_contents import SessionReader
from graph.sessions import Sessions
from graph.store import Store
from kit.histories.session_steps import SessionHistory
from kit.histories.twins import Twins

RUNS = 5  # at most: of so few histories one run may draw no step with some operation
OPERATIONS = {
    name for port in (Sessions, SessionReader, Chunks, Premises) for name in vars(port) if not name.startswith("_")
}


@pytest.fixture
def twins(opener: Callable[[], Store]) -> Iterator[Twins]:
    """The plainest back end beside each other one."""
    made = Twins(lambda: open_store("memory://"), opener)
    yield made
    made.close()


@pytest.mark.parametrize("opener", ["sqlite", "neo4j_5", "neo4j_26"], indirect=True)
def test_the_same_history_of_sessions_on_two_stores(opener: Callable[[], Store], twins: Twins, histories: int) -> None:
    machine = SessionHistory.on(twins)
    try:
        for _ in range(RUNS):
            few = settings(max_examples=max(5, histories // 4))
            run_state_machine_as_test(machine, settings=few)
            if not (unseen := OPERATIONS - set(twins.counts)):
                break
        assert unseen == set()
    finally:
        twins.do(machine.name, lambda store: store.delete_workspace(machine.name))
