"""Outcomes: how the result of a recorded discovery changes trust in rules, and judges the memories that it recalled.

Rules of memory states are in `services.memories.states`.
"""

from collections.abc import Mapping, Sequence

from graph.feedback import Discovery, FeedbackStore
from graph.memories import Outcome
from services.measures import CUT, f1_at_5

LEAD_BOUND = 1.5  # a lead stays within +-1.5, so that old successes do not outweigh recent failures
EPSILON = 1e-12


def settle(store: FeedbackStore, workspace: str, discovery: str, served: Sequence[str]) -> Discovery | None:
    """Apply the objects actually used as the outcome of a recorded discovery, at most once.

    Returns the discovery where this call applied it, None where it is unknown or was judged before.
    """
    for found in store.show_discoveries(workspace, [discovery]):
        if gains := gains_of(found, served):
            return found if store.earn_trust(workspace, discovery, gains, bound=LEAD_BOUND) else None
    return None


def gains_of(found: Discovery, served: Sequence[str]) -> Mapping[str, float]:
    """Return by rule the F1@5 of its results minus that of the registry alone; empty where nothing is to be judged."""
    if found.judged or not found.trials:
        return {}
    alone, *tried = (trial for trial in found.trials if trial.without is None)
    before = f1_at_5(alone.results[:CUT], served)
    return {trial.rule: f1_at_5(trial.results[:CUT], served) - before for trial in tried}


def outcomes_of(found: Discovery, served: Sequence[str]) -> dict[str, Outcome]:
    """Return by memory whether the first results were better or worse with it than without; equal ones are left out."""
    full = {trial.rule: trial.results for trial in found.trials if trial.without is None}
    outcomes: dict[str, Outcome] = {}
    for trial in found.trials:
        if trial.without is not None and trial.rule in full:
            gain = f1_at_5(full[trial.rule][:CUT], served) - f1_at_5(trial.results[:CUT], served)
            if abs(gain) > EPSILON:
                outcomes[trial.without] = "success" if gain > 0 else "failure"
    return outcomes
