"""What is kept of the shared scenarios is the same on every store, order and ties included, and for the published
policy it is what was published."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from graph.embedded import open_store
from graph.store import Store
from kit.replays import retention as retention_replay
from kit.values.samples import AT

SOME = 1  # of each file; all of them: see `retention_replay`


@pytest.mark.parametrize("opener", ["neo4j_5", "neo4j_26"], indirect=True)
def test_scenarios_keep_the_same_on_both_stores_in_order(store: Store, workspace: str, shared: Path) -> None:
    with closing(open_store("memory://")) as memory:
        memory.create_workspace(workspace, incarnation="first", at=AT)
        for scenario in retention_replay.scenarios(shared, most=SOME):
            there = retention_replay.answers(store, workspace, scenario, stored=True)
            here = retention_replay.answers(memory, workspace, scenario)
            for one, other in zip(there, here, strict=True):
                assert one == other, (scenario.suite, scenario.id)
