"""A retention study over a store's sessions gives the rows that the core alone gives, traces included."""

from __future__ import annotations

from graph.store import Store
from kit.values.samples import AT
from services.retention.arms import parse_arm
from services.sessions import SessionService
from services.studies.retention.asking import from_store
from services.studies.retention.protocol import RetentionProtocol
from services.studies.retention.rows import scenario_rows
from services.studies.retention.study import gather_suites

ARMS = tuple((parse_arm(name), None) for name in ("random", "dsgc", "multi_hop", "closure@beta=0.5", "default"))


def test_rows_over_a_store_are_those_of_the_core(store: Store, workspace: str) -> None:
    answering = from_store(SessionService(store, None, lambda: AT), workspace)
    (suite,) = gather_suites(RetentionProtocol(suite=("rivals",), repeat=1))
    for scenario in suite.scenarios[:2]:
        there = list(scenario_rows(scenario, ARMS, encoder="hashing", neural=None, answering=answering))
        here = list(scenario_rows(scenario, ARMS, encoder="hashing", neural=None))
        assert len(here) == len(ARMS)
        assert there == here
