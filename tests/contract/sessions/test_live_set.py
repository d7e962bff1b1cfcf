"""The live set of a session on every store: liveness is that of matrix powers, cycles, diamonds and loops are safe, and
the path to each chunk is a shortest one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graph.errors import UnknownSession
from graph.premises import HOP_LIMIT, Live
from graph.store import Store
from kit.replays import retention as retention_replay
from kit.values.samples import AT
from kit.values.sessions import begin, chunks, link
from services.sessions import SessionService

GAMMA, WEIGHTS = 0.85, {"dsgc": 1.0, "dsgc_roots": 2.0, "multi_hop": 1.0}


def stored(store: Store, workspace: str, count: int, edges: Sequence[tuple[int, int]], session: str = "s") -> None:
    begin(store, workspace, session, given=chunks(*(f"c{number}" for number in range(count))))
    pairs: dict[str, list[str]] = {}
    for i, j in edges:
        pairs.setdefault(f"c{i}", []).append(f"c{j}")
    link(store, workspace, pairs, session=session)


def matrix_of(count: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """A row for each dependent; a premise counts once, a chunk is no premise of itself."""
    matrix = np.zeros((count, count))
    for i, j in edges:
        matrix[i, j] = float(i != j)
    return matrix


def expected(matrix: NDArray[np.float64], roots: Sequence[int], policy: str, *, depth: int) -> dict[int, float]:
    """Liveness by the contract: relevance is 1 for roots; listed is what lies within `depth` hops of one."""
    relevance = np.zeros(len(matrix))
    relevance[list(roots)] = 1.0
    power, within = np.eye(len(matrix)), relevance > 0
    gains = np.zeros(len(matrix))
    for hop in range(1, depth + 1):
        power = power @ matrix.T
        walks = power @ relevance
        within |= walks > 0
        if policy == "multi_hop":
            gains += GAMMA ** (hop - 1) * walks
        elif hop == 1:
            gains = walks if policy == "dsgc" else (walks > 0).astype(float)
    liveness = relevance + WEIGHTS[policy] * gains
    return {int(place): float(liveness[place]) for place in np.flatnonzero(within)}


def check_paths(live: Sequence[Live], matrix: NDArray[np.float64], roots: Sequence[int]) -> None:
    """Breadth first over lists: of all shortest paths from any root the one with the least positions."""
    best: dict[int, list[int]] = {root: [root] for root in roots}
    for _ in range(len(matrix)):
        found: dict[int, list[int]] = {}
        for end, path in best.items():
            for place in np.flatnonzero(matrix[end]).tolist():
                if place not in best:
                    found[place] = min(found.get(place, [*path, place]), [*path, place])
        best |= found
    for it in live:
        assert [int(chunk[1:]) for chunk in it.path] == best[it.position], it
        assert it.hops == len(it.path) - 1


def check(service: SessionService, workspace: str, session: str, matrix: NDArray[np.float64], roots: list[int]) -> None:
    for policy in WEIGHTS:
        for depth in (None, 2):
            found = service.live(workspace, session, roots=[f"c{i}" for i in roots], policy=policy, depth=depth)
            wanted = expected(matrix, roots, policy, depth=depth or HOP_LIMIT)
            assert {it.position: it.liveness for it in found.live} == pytest.approx(wanted, abs=1e-9, rel=1e-9)
            assert found.roots == tuple(f"c{i}" for i in sorted(set(roots)))
            order = [(-it.liveness, it.position) for it in found.live]
            assert order == sorted(order)
            check_paths(found.live, matrix, roots)


def random_graph(seed: int) -> tuple[int, list[tuple[int, int]], list[int]]:
    """A few chunks with cycles, diamonds and self-loops among them, and roots."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 16))
    pairs = random.integers(count, size=(int(random.integers(0, 3 * count)), 2)).tolist()
    edges = [(int(i), int(j)) for i, j in pairs]
    return count, edges, random.choice(count, size=int(random.integers(1, min(count, 3) + 1)), replace=False).tolist()


def service_of(store: Store) -> SessionService:
    return SessionService(store, None, lambda: AT)


def compare_random_graphs(store: Store, workspace: str, seeds: range) -> None:
    for seed in seeds:
        count, edges, roots = random_graph(seed)
        stored(store, workspace, count, edges, f"s{seed}")
        check(service_of(store), workspace, f"s{seed}", matrix_of(count, edges), roots)


def compare_scenarios(store: Store, workspace: str, shared: Path, *, most: int | None) -> None:
    """Roots are the chunks of the scenario's chain that nothing else in it needs, and every tenth chunk."""
    service = service_of(store)
    for scenario in retention_replay.scenarios(shared, most=most):
        edges = list(zip(scenario.premises.sources.tolist(), scenario.premises.targets.tolist(), strict=True))
        count, session = len(scenario.ids), f"{scenario.suite}/{scenario.id}"
        stored(store, workspace, count, edges, session)
        roots = sorted({*scenario.chain[-1:], *range(0, count, 10)})
        check(service, workspace, session, matrix_of(count, edges), roots)


def test_random_graphs_have_the_liveness_of_matrix_powers(store: Store, workspace: str) -> None:
    compare_random_graphs(store, workspace, range(12))


def test_shared_scenarios_have_the_liveness_of_matrix_powers(store: Store, workspace: str, shared: Path) -> None:
    compare_scenarios(store, workspace, shared, most=1)


@pytest.mark.tier("thorough")
def test_200_random_graphs_have_the_liveness_of_matrix_powers(store: Store, workspace: str) -> None:
    compare_random_graphs(store, workspace, range(200))


@pytest.mark.tier("thorough")
def test_all_shared_scenarios_have_the_liveness_of_matrix_powers(store: Store, workspace: str, shared: Path) -> None:
    compare_scenarios(store, workspace, shared, most=None)


def liveness(found: Sequence[Live]) -> dict[str, float]:
    return {it.chunk: it.liveness for it in found}


def test_walks_around_a_cycle_count_each_time(store: Store, workspace: str) -> None:
    stored(store, workspace, 3, [(0, 1), (1, 0), (1, 2)])
    found = store.live_set(workspace, "s", relevance={"c0": 1.0}, roots=["c0"], spread="sum", factors=[1.0] * 5)
    assert liveness(found) == {"c0": 3.0, "c1": 3.0, "c2": 2.0}
    assert [it.path for it in found] == [("c0",), ("c0", "c1"), ("c0", "c1", "c2")]


def test_a_live_set_goes_around_what_is_archived(store: Store, workspace: str) -> None:
    stored(store, workspace, 4, [(3, 2), (2, 1), (3, 0)])
    store.evict_chunks(workspace, "s", ["c2"], at=AT)
    for spread in ("sum", "reach", "closure"):
        given: Mapping[str, float] = {"c1": 0.5, "c2": 0.5, "c3": 1.0}
        found = store.live_set(workspace, "s", relevance=given, roots=["c2", "c3"], spread=spread, factors=[1.0, 1.0])
        assert {it.chunk: it.path for it in found} == {"c3": ("c3",), "c0": ("c3", "c0")}
        assert liveness(found)["c3"] == 1.0


def test_a_closure_gains_the_best_of_others_however_far(store: Store, workspace: str) -> None:
    stored(store, workspace, 12, [*((i + 1, i) for i in range(9)), (10, 11), (11, 10)])
    own = {"c0": 0.5, "c5": 0.25, "c9": 0.75, "c10": 0.5, "c11": 0.125}
    found = store.live_set(workspace, "s", relevance=own, roots=None, spread="closure", depth=0)
    gains = {it.position: it.liveness - own.get(it.chunk, 0.0) for it in found}
    assert gains == {0: 0.0, **dict.fromkeys(range(1, 10), 0.5), 10: 0.125, 11: 0.5}


def test_roots_may_be_those_of_a_query(store: Store, workspace: str) -> None:
    service = service_of(store)
    stored(store, workspace, 30, [(7, 3), (3, 1)])
    found = service.live(workspace, "s", query="text of c7", policy="dsgc_roots@top=1")
    assert found.roots == ("c7",)
    assert [it.path for it in found.live] == [("c7", "c3"), ("c7",), ("c7", "c3", "c1")]
    everything = service.live(workspace, "s", query="text of c7", policy="dsgc")
    assert len(everything.live) == len(everything.roots) == 30
    assert sum(it.liveness for it in everything.live) > 1


def test_a_session_that_is_not_there_has_no_live_set(store: Store, workspace: str) -> None:
    with pytest.raises(UnknownSession):
        store.live_set(workspace, "nix", relevance={}, roots=None, spread="sum")
    begin(store, workspace)
    assert store.live_set(workspace, "s", relevance={}, roots=None, spread="sum") == ()


def test_shortest_paths_of_a_long_chain_end_at_their_depth(store: Store, workspace: str) -> None:
    stored(store, workspace, 12, list(pairwise(range(12))))
    found = store.live_set(workspace, "s", relevance={"c0": 1.0}, roots=["c0"], spread="reach", factors=[1.0], depth=3)
    assert [it.path[-1] for it in found] == ["c0", "c1", "c2", "c3"]
