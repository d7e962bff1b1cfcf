"""The same random history on memory:// and on each other back end gives the same answers and the same graph.

`--hypothesis-profile=thorough` plays many more and longer ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis.stateful import run_state_machine_as_test

from graph.embedded import open_store
from graph.ports import Store
from histories import History


@pytest.fixture
def reference() -> Iterator[Store]:
    """The plainest back end."""
    opened = open_store("memory://")
    yield opened
    opened.close()


@pytest.mark.parametrize("opener", ["sqlite", "neo4j_5", "neo4j_26"], indirect=True)
def test_the_same_history_on_two_stores(opener: Callable[[], Store], store: Store, reference: Store) -> None:
    run_state_machine_as_test(History.on(reference, store))
