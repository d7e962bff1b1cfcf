"""Bounds, paired comparisons and the correction for their number, against figures worked out by hand."""

import numpy as np
import pytest

from services.studies.intervals import bounds, compare, holm, resampled_means, two_sided


def test_bounds_hold_nineteen_of_twenty_draws() -> None:
    assert bounds(np.arange(1001.0)) == pytest.approx((25, 975))


def test_the_bootstrap_spreads_as_the_mean_does() -> None:
    values = np.random.default_rng(5).normal(size=(400, 1))
    low, high = bounds(resampled_means(values, seed=[1])[:, 0])
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.06)
    assert low < values.mean() < high


def test_a_comparison_counts_wins_ties_and_losses_of_pairs() -> None:
    gains = np.array([0.5, 0.0, -0.25, 0.25])
    found = compare([gains], np.array([0.1, 0.2, 0.3]))
    assert (found["difference"], found["wins"], found["ties"], found["losses"]) == (0.125, 2, 1, 1)
    assert found["p"] == two_sided(np.array([0.1, 0.2, 0.3])) == 0.5


def test_holm_multiplies_the_smallest_p_by_their_number() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
