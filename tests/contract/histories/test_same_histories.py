"""The same random history on memory:// and on each other back end gives the same answers and the same graph.

As many histories as the tier says (`kit/tiers.py`), of 30 steps each, or of 50 where the run is thorough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from graph.catalogue import Catalogue
from graph.changes import ChangeFeed
from graph.embedded import open_store
from graph.embeddings import EmbeddingStore
from graph.evidence import EvidenceSource
from graph.explore import GraphExplorer
from graph.feedback import FeedbackStore
from graph.memories import Memories
from graph.store import Store
from graph.workspaces import Workspaces
from kit.histories.steps import History
from kit.histories.twins import Twins

RUNS = 5  # at most: of few histories one run may draw no step with some operation
OPERATIONS = {
    name
    for port in (
        Workspaces,
        Catalogue,
        Memories,
        EvidenceSource,
        ChangeFeed,
        EmbeddingStore,
        FeedbackStore,
        GraphExplorer,
    )
    for name in vars(port)
    if not name.startswith("_")
}


@pytest.fixture
def twins(opener: Callable[[], Store]) -> Iterator[Twins]:
    """The plainest back end beside each other one."""
    made = Twins(lambda: open_store("memory://"), opener)
    yield made
    made.close()


@pytest.mark.parametrize("opener", ["sqlite", "neo4j_5", "neo4j_26"], indirect=True)
def test_the_same_history_on_two_stores(opener: Callable[[], Store], twins: Twins, histories: int) -> None:
    machine = History.on(twins)
    try:
        for _ in range(RUNS):
            run_state_machine_as_test(machine, settings=settings(max_examples=histories))
            if not (unseen := OPERATIONS - set(twins.counts)):
                break
        assert unseen == set()
    finally:
        for name in machine.names:
            twins.sides[1].store.delete_workspace(name)
