"""How the outcome of an answer speaks for or against the memories that were loud in it, without anybody's word.

A memory served where the first five would have been worse without it, and misled where they would have been better.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph.feedback import Discovery
from graph.memories import Outcome
from services.measures import CUT, f1_at_5

EPSILON = 1e-12


def outcomes_of(found: Discovery, served: Sequence[str]) -> dict[str, Outcome]:
    """By memory; those without which the answer would have been as good are not in it."""
    heard = {trial.rule: trial.results for trial in found.trials if trial.without is None}
    outcomes: dict[str, Outcome] = {}
    for trial in found.trials:
        if trial.without is not None and trial.rule in heard:
            gain = f1_at_5(heard[trial.rule][:CUT], served) - f1_at_5(trial.results[:CUT], served)
            if abs(gain) > EPSILON:
                outcomes[trial.without] = "success" if gain > 0 else "failure"
    return outcomes
