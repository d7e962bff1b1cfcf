"""Fill a budget by an arm: relevance, then the policy's scores, then selection, pinned chunks first.

What the choice means (warnings, explanations) is worked out from it elsewhere; nothing here knows ids.
"""

from dataclasses import dataclass, replace

import numpy as np

from services.retention.arms import RetentionArm
from services.retention.policies import Case, boosted
from services.retention.selection import Basket, Dependencies, fill, fill_groups, grow, new_basket
from services.retention.session_arrays import RealArray
from services.retention.units import fill_units


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """The chunks taken, the scores they were taken by, and the dependencies (None: chunks were taken one by one)."""

    basket: Basket
    scores: RealArray
    dependencies: Dependencies | None = None


def relevance_of(case: Case, arm: RetentionArm) -> RealArray:
    """Return the cosine of each chunk to the query, with what else the arm counts of it."""
    # A vector knows what a query is about, words know whom and what it names: their mean does better than either.
    relevance = 0.5 * (case.cosines + case.words()) if arm.policy.words else case.cosines
    return boosted(relevance, case.chunks, arm.parameters) if "importance" in arm.parameters else relevance


def choose(case: Case, arm: RetentionArm, *, budget_tokens: int, cut: bool = True) -> Choice:
    """Select chunks by the arm's policy. `cut` False: no premise is left out of a group, it is taken whole or not."""
    basket = new_basket(case.chunks, budget_tokens=budget_tokens)
    dependencies = _dependencies(case, arm, cut=cut) if arm.policy.grouped else None
    covers = arm.policy.covers and (case.units is not None or not arm.policy.grouped)
    scores = (
        np.zeros(0)
        if covers and not arm.policy.grouped
        else arm.policy.scores(case, relevance_of(case, arm), arm.parameters)
    )
    for chunk in np.flatnonzero(case.chunks.pinned).tolist():
        unit = [chunk] if case.units is None else case.units.of(int(case.units.heads[chunk]))
        if not basket.taken[chunk] and int(basket.chunks.tokens[unit].sum()) <= basket.left:
            group = grow(chunk, basket, dependencies) if dependencies else []
            basket.add(group or unit, leader=chunk)
    if covers:
        if dependencies is not None:
            rest = int((1 - arm["asked"]) * basket.left)
            basket.left -= rest
            fill_groups(basket, scores, dependencies)
            basket.left += rest
        scores = case.cover(basket)
    elif dependencies is None:
        stop = bool(arm["stop"])
        if case.units is None:
            fill(basket, scores, stop=stop)
        else:
            fill_units(basket, scores, case.units, stop=stop)
    else:
        fill_groups(basket, scores, dependencies)
    return Choice(basket=basket, scores=scores, dependencies=dependencies)


def _dependencies(case: Case, arm: RetentionArm, *, cut: bool) -> Dependencies:
    if arm.policy.believes:
        believed = case.believed()
        made = Dependencies(
            premises=believed.premises,
            layers=believed.layers,
            beliefs=believed.beliefs,
            ignore_below=arm["ignore"],
            cut_below=arm["cut"] if cut else 0.0,
        )
    else:
        made = Dependencies(premises=case.premises, layers=case.layers)
    return replace(made, least=case.least(made)) if case.least else made
