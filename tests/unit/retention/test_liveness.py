"""Liveness along premises against plain graph walks, on cycles, self-loops, duplicates and deep chains."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.errors import InvalidInput
from services.retention.liveness import Layers, damped_hops, inherited, one_hop, personalised_pagerank
from services.retention.session_arrays import make_premises


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 12))
    places = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(places, places), max_size=30))
    gains = draw(st.lists(st.floats(-1, 1, width=16), min_size=count, max_size=count))
    weights = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=len(edges), max_size=len(edges)))
    return count, edges, np.array(gains), np.array(weights)


def walked(count, edges, gains, weight_of):
    """The best gain below each chunk, by relaxing single paths from each chunk until nothing improves."""
    found = np.zeros(count)
    for start in range(count):
        reach = {start: 1.0}
        changed = True
        while changed:
            changed = False
            for i, j in edges:
                if i in reach and i != j and reach[i] * weight_of[i, j] > reach.get(j, -1.0):
                    reach[j] = reach[i] * weight_of[i, j]
                    changed = True
        found[start] = max((r * max(gains[j], 0.0) for j, r in reach.items() if j != start), default=0.0)
    return found


@given(graphs())
@settings(max_examples=300, deadline=None)
def test_best_below_is_the_best_path_to_another_chunk(graph):
    count, edges, gains, weights = graph
    premises = make_premises(count, edges, weights=weights)
    weight_of = dict.fromkeys(edges, 0.0)
    for edge, weight in zip(edges, weights.tolist(), strict=True):
        weight_of[edge] = max(weight_of[edge], weight)
    found = Layers(premises, weights=premises.weights).best_below(gains)
    np.testing.assert_allclose(found, walked(count, edges, gains, weight_of), atol=1e-9)


@given(graphs())
@settings(max_examples=100, deadline=None)
def test_hops_are_powers_of_the_matrix(graph):
    count, edges, gains, _ = graph
    matrix = np.zeros((count, count))
    for i, j in edges:
        matrix[i, j] = float(i != j)
    premises = make_premises(count, edges)
    np.testing.assert_allclose(one_hop(gains, premises), matrix.T @ gains, atol=1e-9)
    powers = sum(0.5 ** (k - 1) * np.linalg.matrix_power(matrix.T, k) @ gains for k in range(1, 5))
    np.testing.assert_allclose(damped_hops(gains, premises, factors=[0.5**k for k in range(4)]), powers, atol=1e-9)


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_pagerank_is_a_distribution_that_the_walk_leaves_as_it_is(graph):
    count, edges, gains, _ = graph
    relevance = np.abs(gains) + 0.01
    premises = make_premises(count, edges)
    rank = personalised_pagerank(relevance, premises, damping=0.5)
    assert rank.sum() == pytest.approx(1.0)
    restart, fan = relevance / relevance.sum(), np.diff(premises.starts)
    moved = one_hop(rank / np.maximum(fan, 1), premises) + rank[fan == 0].sum() * restart
    np.testing.assert_allclose(rank, 0.5 * moved + 0.5 * restart, atol=1e-9)


def test_inherit_takes_the_largest_instead_of_the_sum():
    premises = make_premises(4, [(0, 2), (1, 2), (2, 3)])
    relevance = np.array([0.4, 0.5, 0.0, 0.0])
    np.testing.assert_allclose(inherited(relevance, premises, gamma=0.5, depth=8), [0, 0, 0.5, 0.25])


def test_an_edge_runs_from_what_needs_to_what_is_needed():
    relevance = np.array([0.9, 0.1])
    assert one_hop(relevance, make_premises(2, [(0, 1)])).tolist() == [0.0, 0.9]
    assert one_hop(relevance, make_premises(2, [(1, 0)])).tolist() == [0.1, 0.0]


def test_duplicates_and_self_loops_count_once_and_never():
    premises = make_premises(
        3, [(0, 1), (0, 1), (2, 2)], weights=[0.2, 0.7, 1.0], grades=["inferred", "declared", "declared"]
    )
    assert (premises.sources.tolist(), premises.targets.tolist()) == ([0], [1])
    assert (premises.weights.tolist(), premises.grades.tolist()) == ([0.7], [0])


@pytest.mark.parametrize("edge", [(0, 3), (3, 0), (-1, 0)])
def test_a_premise_that_points_nowhere_is_refused(edge):
    with pytest.raises(InvalidInput, match="only chunks 0 to 2"):
        make_premises(3, [edge])


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_outside_zero_and_one_is_refused(weight):
    with pytest.raises(InvalidInput, match="weight"):
        make_premises(2, [(0, 1)], weights=[weight])


def test_a_chain_of_ten_thousand_carries_a_gain_to_its_end():
    count = 10_000
    premises = make_premises(count, [(i + 1, i) for i in range(count - 1)])
    gains = np.zeros(count)
    gains[0] = 1.0
    assert Layers(premises).best_below(gains).tolist() == [0.0] + [1.0] * (count - 1)


def test_a_cycle_of_a_thousand_gives_everyone_the_best_of_the_others():
    count = 1_000
    premises = make_premises(count, [(i, (i + 1) % count) for i in range(count)])
    gains = np.zeros(count)
    gains[[3, 500]] = 0.9, 0.4
    found = Layers(premises).best_below(gains)
    assert found[3] == 0.4
    assert set(np.delete(found, 3).tolist()) == {0.9}
