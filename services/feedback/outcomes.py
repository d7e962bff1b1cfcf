"""Outcomes: what a recorded discovery's result earns each rule, and each memory that was recalled.

Rules of memory states are in `services.memories.states`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph.feedback import Discovery, FeedbackStore
from graph.memories import Outcome
from services.measures import CUT, f1_at_5

LEAD_BOUND = 1.5  # a lead stays within +-1.5: what was earned long ago must not outweigh what goes wrong now


def settle(store: FeedbackStore, workspace: str, discovery: str, served: Sequence[str]) -> bool:
    """Counts what served as the outcome of a recorded answer, once: whether it was counted now."""
    gains = gains_of(store, workspace, discovery, served)
    return bool(gains) and store.earn_trust(workspace, discovery, gains, bound=LEAD_BOUND)


def gains_of(store: FeedbackStore, workspace: str, discovery: str, served: Sequence[str]) -> Mapping[str, float]:
    """By rule, how much better its first five were than those of the registry alone; none where nothing is judged."""
    found = store.show_discoveries(workspace, [discovery])
    if not found or found[0].judged or not found[0].trials:
        return {}
    alone, *tried = (trial for trial in found[0].trials if trial.without is None)
    before = f1_at_5(alone.results[:CUT], served)
    return {trial.rule: f1_at_5(trial.results[:CUT], served) - before for trial in tried}


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
