"""Trust: how far outcomes let a rule weigh, and which alternatives an outcome will judge (leave-one-out).

Outcomes themselves are applied in `services.feedback`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from graph.feedback import Trial, Trust
from services.discovery.arms import CANDIDATES, DiscoveryArm
from services.discovery.candidates import Floats
from services.discovery.rules import Attribution, Recall, Rule, registry_alone

STEEPNESS = 4.0
START = 1.0  # a workspace whose outcomes have not spoken yet trusts by .73
ALONE = "none"


def trust_of(lead: float) -> float:
    return 1 / (1 + exp(-(STEEPNESS * lead + START)))


def judge(
    plan: DiscoveryArm, rule: Rule, base: Floats, memories: Recall, trust: Sequence[Trust]
) -> tuple[Attribution, dict[str, Attribution]]:
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


NEAR = 0.7  # measured: from .5 down right memories of other questions were refuted, and cost .001 F1@5
MOST_JUDGED = 5


def leave_one_out(
    full: Trial, verdict: Attribution, memories: Recall, *, first: Callable[[Attribution], tuple[str, ...]]
) -> tuple[Trial, ...]:
    """The loudest near ones, where the first would be others without them than those of `full`."""
    near = np.flatnonzero(memories.of("similarity") >= NEAR)
    loudness = np.abs(verdict.voices).sum(axis=1)
    loudest = sorted(near.tolist(), key=lambda row: (-loudness[row], memories.memories[row].id))[:MOST_JUDGED]
    trials = []
    for row in loudest:
        voices = verdict.voices.copy()
        voices[row] = 0
        results = first(Attribution(registry=verdict.registry, voices=voices))
        if results != full.results:
            trials.append(Trial(rule=full.rule, results=results, without=memories.memories[row].id))
    return tuple(trials)
