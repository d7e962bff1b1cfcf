"""Liveness on every store: one hop, damped hops and closures, to the last bit the same; safe on cycles and diamonds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from graph.errors import UnknownSession
from graph.premises import HOP_LIMIT, ByPosition
from graph.store import Store
from kit.values.samples import AT
from kit.values.sessions import begin, chunks, link
from services.retention.liveness import Layers, damped_hops, one_hop
from services.retention.session_arrays import make_premises


def values(by_position: Mapping[int, float]) -> ByPosition:
    positions = sorted(by_position)
    return ByPosition(
        positions=np.array(positions, dtype=int), values=np.array([by_position[p] for p in positions], dtype=float)
    )


def told(heard: ByPosition) -> dict[int, float]:
    return dict(zip(heard.positions.tolist(), heard.values.tolist(), strict=True))


def stored(store: Store, workspace: str, count: int, edges: Sequence[tuple[int, int]]) -> None:
    begin(store, workspace, given=chunks(*(f"c{number}" for number in range(count))))
    pairs: dict[str, list[str]] = {}
    for i, j in edges:
        pairs.setdefault(f"c{i}", []).append(f"c{j}")
    link(store, workspace, pairs)


def test_a_premise_hears_the_sum_of_those_that_need_it(store: Store, workspace: str) -> None:
    stored(store, workspace, 4, [(1, 0), (2, 0), (2, 1), (3, 3), (0, 3)])
    assert told(store.one_hop(workspace, "s", values({1: 0.25, 2: 0.5}))) == {0: 0.75, 1: 0.5}
    assert told(store.one_hop(workspace, "s", values({}))) == {}
    assert told(store.one_hop(workspace, "s", values({99: 1.0}))) == {}


def test_hops_are_damped_and_end_at_the_last_factor(store: Store, workspace: str) -> None:
    stored(store, workspace, 4, [(3, 2), (2, 1), (1, 0)])
    heard = store.damped_hops(workspace, "s", values({3: 1.0}), factors=[1.0, 0.5])
    assert told(heard) == {2: 1.0, 1: 0.5}
    assert told(store.damped_hops(workspace, "s", values({3: 1.0}), factors=[1.0])) == {2: 1.0}


def test_damped_hops_one_by_one_are_the_same(store: Store, workspace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are asked for where a session is too large for a server to walk them all in one query."""
    random = np.random.default_rng(5)
    edges = [(i, j) for i, j in random.integers(0, 40, size=(90, 2)).tolist() if i != j]
    stored(store, workspace, 40, edges)
    relevance, factors = random.random(40), [0.85**step for step in range(HOP_LIMIT)]
    given = values(dict(enumerate(relevance.tolist())))
    expected = damped_hops(relevance, make_premises(40, edges), gamma=0.85, depth=HOP_LIMIT)
    for limit in (0, 40):
        monkeypatch.setattr("graph.neo4j.liveness.WAVE_LIMIT", limit)
        heard = told(store.damped_hops(workspace, "s", given, factors=factors))
        assert [heard.get(place, 0.0) for place in range(40)] == expected.tolist()
    with pytest.raises(UnknownSession):
        store.damped_hops(workspace, "nix", given, factors=factors)


def test_a_closure_gains_the_best_of_others_however_far(store: Store, workspace: str) -> None:
    stored(store, workspace, 12, [*((i + 1, i) for i in range(9)), (10, 11), (11, 10)])
    best = told(store.closure_gains(workspace, "s", values({0: 0.5, 5: 0.25, 9: 0.75, 10: 0.5, 11: 0.125})))
    assert best == {**dict.fromkeys(range(1, 10), 0.5), 10: 0.125, 11: 0.5}


def test_liveness_goes_around_what_is_archived(store: Store, workspace: str) -> None:
    stored(store, workspace, 4, [(3, 2), (2, 1), (3, 0)])
    store.evict_chunks(workspace, "s", ["c2"], at=AT)
    relevance = values({1: 0.5, 2: 0.5, 3: 1.0})
    assert told(store.one_hop(workspace, "s", relevance)) == {0: 1.0}
    assert told(store.damped_hops(workspace, "s", relevance, factors=[1.0, 1.0])) == {0: 1.0}
    assert told(store.closure_gains(workspace, "s", relevance)) == {}


@pytest.mark.parametrize("seed", range(3))
def test_any_graph_gives_the_numbers_of_the_arrays_to_the_last_bit(store: Store, workspace: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    count = 40
    # dense enough for diamonds, cycles among all of them, and sums whose order shows in the last bit
    edges = [(int(i), int(j)) for i, j in random.integers(count, size=(100, 2)) if i != j]
    stored(store, workspace, count, edges)
    premises = make_premises(count, edges)
    relevance = random.random(count) * 10.0 ** random.integers(-9, 0, size=count)
    given = values(dict(enumerate(relevance.tolist())))

    def dense(heard: ByPosition) -> list[float]:
        return [told(heard).get(place, 0.0) for place in range(count)]

    assert dense(store.one_hop(workspace, "s", given)) == one_hop(relevance, premises).tolist()
    factors = [0.85**step for step in range(HOP_LIMIT)]
    heard = store.damped_hops(workspace, "s", given, factors=factors)
    assert dense(heard) == damped_hops(relevance, premises, gamma=0.85, depth=HOP_LIMIT).tolist()
    gains = relevance - 0.01
    best = store.closure_gains(workspace, "s", values(dict(enumerate(gains.tolist()))))
    assert dense(best) == Layers(premises).best_below(gains).tolist()


def test_a_cycle_of_1000_is_walked_once(store: Store, workspace: str) -> None:
    stored(store, workspace, 1_000, [(i, (i + 1) % 1_000) for i in range(1_000)])
    best = told(store.closure_gains(workspace, "s", values({0: 1.0, 500: 0.5})))
    assert best == {**dict.fromkeys(range(1, 1_000), 1.0), 0: 0.5}


def test_an_unknown_session_has_no_liveness(store: Store, workspace: str) -> None:
    for ask in (
        lambda: store.one_hop(workspace, "nix", values({0: 1.0})),
        lambda: store.damped_hops(workspace, "nix", values({0: 1.0}), factors=[1.0]),
        lambda: store.closure_gains(workspace, "nix", values({0: 1.0})),
    ):
        with pytest.raises(UnknownSession):
            ask()
