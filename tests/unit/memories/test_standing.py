"""How a memory stands: calibrated by its outcomes, which fade; counted, trimmed and dated as they were told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from graph.memories import (
    OUTCOME_HALF_LIFE_DAYS,
    Memory,
    Outcome,
    OutcomeEvidence,
    Standing,
    confidence_of,
    standing_of,
)
from services.memories.states import EVIDENCE_LIMIT, Feedback, after_outcome

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
NEW = Memory(id="m", intent_id="i", intent="a", objects=("o",), state="proposed", created_at=NOON, last_used_at=NOON)
GOOD, BAD = Feedback(kind="executed_sql"), Feedback(kind="recalled", outcome="failure")


def told(outcome: Outcome, at: datetime) -> OutcomeEvidence:
    return OutcomeEvidence(kind="executed_sql", outcome=outcome, at=at, state="confirmed")


def standing(**known: Any) -> Standing:
    return standing_of(replace(NEW, **known))


@pytest.mark.parametrize(
    ("successes", "failures", "mean", "low"),
    [
        (0, 0, 1 / 2, 0.0),
        (1, 0, 2 / 3, 0.206549),
        (4, 1, 5 / 7, 0.375530),
        (10, 0, 11 / 12, 0.722460),
        (0, 3, 1 / 5, 0.0),
    ],
)
def test_the_mean_and_the_lower_bound(successes: int, failures: int, mean: float, low: float) -> None:
    found = Standing(successes=successes, failures=failures)
    assert found.mean == pytest.approx(mean)
    assert found.low == pytest.approx(low, abs=1e-4)  # of Wilson's interval as any table of it has it
    assert found.confidence == pytest.approx((successes + 1) / (successes + failures + 1))


def test_what_is_shown_is_calibrated() -> None:
    """Of memories that are shown with a mean of about p, a share of about p is right the next time; few are right less
    often than their lower bound says."""
    draw = np.random.default_rng(7)
    right = draw.random(60_000)
    n = draw.integers(0, 9, size=len(right))
    successes = draw.binomial(n, right)
    next_time = draw.random(len(right)) < right
    found = [Standing(successes=s, failures=m - s) for s, m in zip(successes.tolist(), n.tolist(), strict=True)]
    means = np.array([each.mean for each in found])
    for mean in np.unique(means.round(6)):
        alike = np.abs(means - mean) < 1e-6
        if alike.sum() > 500:
            assert next_time[alike].mean() == pytest.approx(mean, abs=0.06)
    lows = np.array([each.low for each in found])
    assert (right < lows).mean() < 0.06


def test_an_outcome_of_a_half_life_ago_counts_half() -> None:
    before = NOON - timedelta(days=OUTCOME_HALF_LIFE_DAYS)
    found = standing(successes=1, failures=1, evidence=(told("success", before), told("failure", NOON)))
    assert (found.successes, found.failures) == (0.5, 1.0)
    later = NOON + timedelta(days=OUTCOME_HALF_LIFE_DAYS)
    assert standing_of(replace(NEW, successes=1, evidence=(told("success", NOON),)), at=later).successes == 0.5


def test_outcomes_that_are_not_told_any_more_are_as_old_as_the_oldest() -> None:
    before = NOON - timedelta(days=OUTCOME_HALF_LIFE_DAYS)
    found = standing(successes=4, failures=1, evidence=(told("success", before), told("failure", NOON)))
    assert (found.successes, found.failures) == (2.0, 1.0)
    assert standing(successes=4, failures=1) == Standing(successes=4.0, failures=1.0)


def test_what_was_proven_long_ago_is_refuted_by_few_new_failures() -> None:
    memory = NEW
    for _ in range(EVIDENCE_LIMIT + 4):
        memory = after_outcome(memory, GOOD, at=NOON - timedelta(days=4 * OUTCOME_HALF_LIFE_DAYS))
    assert (memory.successes, memory.state) == (24, "confirmed")
    states = []
    for _ in range(3):
        memory = after_outcome(memory, BAD, at=NOON)
        states.append(memory.state)
    assert states == ["confirmed", "refuted", "refuted"]
    assert (memory.successes, memory.failures) == (24, 3)
    fresh = NEW
    for _ in range(24):
        fresh = after_outcome(fresh, GOOD, at=NOON)
    for _ in range(3):
        fresh = after_outcome(fresh, BAD, at=NOON)
    assert fresh.state == "confirmed"


def test_a_person_brings_back_what_outcomes_refuted() -> None:
    refuted = after_outcome(after_outcome(NEW, GOOD, at=NOON), BAD, at=NOON)
    assert refuted.state == "refuted"
    assert after_outcome(refuted, Feedback(kind="confirmed"), at=NOON).state == "confirmed"


def test_a_proposed_memory_has_half_the_confidence() -> None:
    assert confidence_of(NEW) == 0.5
    assert confidence_of(replace(NEW, state="confirmed", successes=1)) == 1.0
    assert confidence_of(replace(NEW, state="confirmed", successes=2, failures=1)) == 0.75
