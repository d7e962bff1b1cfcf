"""Trust: how far a rule is heard, by what it has earned over no memory in earlier outcomes; and what outcomes judge.

A verdict is made as if trusted fully, so that it can be judged whether it was heard or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

from graph.feedback import FeedbackStore, Trust
from services.discovery.board import Floats
from services.discovery.plans import CANDIDATES, Plan
from services.discovery.rules import Recall, Rule, Verdict, registry_alone
from services.measures import CUT, f1_at_5

STEEPNESS = 4.0
START = 1.0  # a workspace whose outcomes have not spoken yet trusts by .73
LEAD_BOUND = 1.5  # a lead stays within +-1.5: what was earned long ago must not outweigh what goes wrong now
ALONE = "none"


def trust_of(lead: float) -> float:
    return 1 / (1 + exp(-(STEEPNESS * lead + START)))


def judge(
    plan: Plan, rule: Rule, base: Floats, memories: Recall, trust: Sequence[Trust]
) -> tuple[Verdict, dict[str, Verdict]]:
    """The verdict as it is heard, and by name those that an outcome will judge, the registry alone first."""
    leads = {each.rule: each.lead for each in trust}
    alone = {ALONE: registry_alone(base, memories)}
    if plan.leads:
        tried = {name: candidate(base, memories) for name, candidate in CANDIDATES.items()}
        return tried[max(tried, key=lambda name: leads.get(name, 0.0))], alone | tried
    full = rule(base, memories)
    if not plan.trusts:
        return full, {}
    return full.trusted(trust_of(leads.get(plan.name, 0.0))), alone | {plan.name: full}


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
