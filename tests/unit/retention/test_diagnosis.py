"""Measures and classes of failure, on cases small enough to check by hand."""

import numpy as np
import pytest

from services.retention.session_arrays import make_premises
from services.studies.retention.diagnosis import chain_broken, classify, coverage, full_chain, structurally_indirect

PREMISES = make_premises(4, [(2, 1), (1, 0), (3, 0)])
COSINES = np.array([0.1, 0.3, 0.8, 0.0])
CHAIN = (0, 1, 2)


def test_measures_by_hand():
    assert full_chain([2, 1, 0, 3], CHAIN)
    assert not full_chain([2, 1], CHAIN)
    assert coverage([2, 3], CHAIN) == pytest.approx(1 / 3)
    assert chain_broken([2, 0], CHAIN, PREMISES)
    assert not chain_broken([1, 0], CHAIN, PREMISES)


def test_a_premise_below_what_needs_it_is_structurally_indirect():
    assert structurally_indirect(COSINES, CHAIN, PREMISES) == (0, 1)
    assert structurally_indirect(COSINES, (0, 3), PREMISES) == ()


@pytest.mark.parametrize(
    ("kept", "read", "answered", "failure"),
    [
        ((2,), None, None, "retention"),
        ((0, 1), None, None, "forgetting"),
        ((0, 1, 2), (2,), None, "retrieval"),
        ((0, 1, 2), (0, 1, 2), False, "reasoning"),
        ((0, 1, 2), (0, 1, 2), True, "none"),
        ((0, 1, 2), None, None, "none"),
    ],
)
def test_each_failure_is_sorted_right(kept, read, answered, failure):
    assert classify(kept, CHAIN, PREMISES, cosines=COSINES, read=read, answered=answered) == failure
