"""Trust: how far outcomes let a rule weigh, and which alternatives an outcome will judge (leave-one-out).

Outcomes themselves are applied in `services.feedback`.
"""

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from graph.feedback import Trial, Trust
from services.discovery.arms import DiscoveryArm
from services.discovery.candidates import Floats
from services.discovery.rules import Attribution, Recall, registry_alone

STEEPNESS = 4.0
START = 1.0  # before any outcome a rule's memory part counts .73
ALONE = "none"
NEAR = 0.7  # measured: from .5 down memories that are right for other questions were refuted, and cost .001 F1@5
MOST_JUDGED = 5


def trust_of(lead: float) -> float:
    """The factor, within 0 and 1, by which a rule's memory part is scaled."""
    return 1 / (1 + exp(-(STEEPNESS * lead + START)))


def judge(
    arm: DiscoveryArm, base: Floats, memories: Recall, trust: Sequence[Trust], *, encoded: bool
) -> tuple[Attribution, dict[str, Attribution]]:
    """Apply the arm's rule to the registry's scores, as far as it is trusted.

    Returns the attribution that counts, and by name the full attributions that an outcome will judge, the registry
    alone first; none where the rule earns no trust.
    """
    leads = {each.rule: each.lead for each in trust}
    full = arm.function(encoded=encoded)(base, memories)
    if not arm.rule.trusted:
        return full, {}
    return full.trusted(trust_of(leads.get(arm.name, 0.0))), {ALONE: registry_alone(base, memories), arm.name: full}


def leave_one_out(
    full: Trial, attribution: Attribution, memories: Recall, *, first: Callable[[Attribution], tuple[str, ...]]
) -> tuple[Trial, ...]:
    """The trials without one memory each: of the near memories with the largest contributions, those without which
    the first results differ from those of `full`."""
    near = np.flatnonzero(memories.of("similarity") >= NEAR)
    size = np.abs(attribution.contributions).sum(axis=1)
    largest = sorted(near.tolist(), key=lambda row: (-size[row], memories.memories[row].id))[:MOST_JUDGED]
    trials = []
    for row in largest:
        contributions = attribution.contributions.copy()
        contributions[row] = 0
        results = first(Attribution(registry=attribution.registry, contributions=contributions))
        if results != full.results:
            trials.append(Trial(rule=full.rule, results=results, without=memories.memories[row].id))
    return tuple(trials)
