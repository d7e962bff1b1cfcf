"""Policies: from relevance and premises to scores and roots.

Selection under the budget is in `selection`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from graph.premises import HOP_LIMIT
from services.retention.arms import RetentionArm
from services.retention.liveness import Layers, damped_hops, inherited, one_hop, personalised_pagerank
from services.retention.selection import Basket, Dependencies, fill, fill_groups, grow, new_basket
from services.retention.session_arrays import BoolArray, ChunkArrays, PremiseArrays, RealArray

TEMPERATURE = 0.25


def softmax(cosines: RealArray, *, temperature: float = TEMPERATURE) -> RealArray:
    """Relevance over the session, sums to 1."""
    if not len(cosines):
        return cosines
    relevance: RealArray = cosines / temperature
    relevance -= relevance.max()
    np.exp(relevance, out=relevance)
    relevance /= np.cumsum(relevance)[-1]  # summed in order, as the artifact does
    return relevance


def boosted(
    cosines: RealArray, chunks: ChunkArrays, *, importance: float, freshness: float, half_life: float
) -> RealArray:
    """Cosines plus what else speaks for a chunk: importance * its importance + freshness * 2^(-age / half_life)."""
    merits = cosines
    if importance:
        merits = merits + importance * chunks.importance
    if freshness:
        merits = merits + freshness * np.exp2(-chunks.ages / half_life)
    return merits


def above(relevance: RealArray, *, threshold: float) -> BoolArray:
    return relevance > threshold


def top(relevance: RealArray, *, count: int) -> BoolArray:
    """The `count` largest, ties by order of ingestion."""
    chosen = np.zeros(len(relevance), dtype=np.bool_)
    chosen[np.argsort(-relevance, kind="stable")[:count]] = True
    return chosen


def otsu(relevance: RealArray) -> BoolArray:
    """Those above the threshold that parts the values best: the largest variance between the two classes."""
    values = np.sort(relevance)
    count = len(values)
    if count < 2 or values[0] == values[-1]:
        return np.zeros(count, dtype=np.bool_)
    below = np.arange(1, count)
    sums = np.cumsum(values)
    low = sums[:-1] / below
    high = (sums[-1] - sums[:-1]) / (count - below)
    between = below * (count - below) * (high - low) ** 2
    between[values[1:] == values[:-1]] = -1  # a threshold cannot part equal values
    roots: BoolArray = relevance > values[int(np.argmax(between))]
    return roots


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Believed:
    """PremiseArrays with the belief in each (declared and inferred ones), and their layers."""

    premises: PremiseArrays
    beliefs: RealArray
    strata: Layers


class Hops(Protocol):
    """Liveness worked out elsewhere, where premises are stored: the same numbers as those of `liveness`."""

    def one_hop(self, relevance: RealArray, /) -> RealArray: ...

    def damped_hops(self, relevance: RealArray, /, *, gamma: float, depth: int) -> RealArray: ...

    def best_below(self, gains: RealArray, /) -> RealArray: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """All that a policy may look at. `words` (TF-IDF cosines) and `believed` are asked for where a policy needs them;
    `least` may know what bonds cost at least, so that it is not reckoned for every query.
    """

    chunks: ChunkArrays
    premises: PremiseArrays
    strata: Layers
    cosines: RealArray
    words: Callable[[], RealArray]
    believed: Callable[[], Believed]
    least: Callable[[Dependencies], RealArray] | None = None
    hops: Hops | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """The basket, the scores it was filled by, and the bonds that made groups (None: chunks went one by one)."""

    basket: Basket
    scores: RealArray
    bonds: Dependencies | None = None


def choose(case: Case, arm: RetentionArm, *, budget_tokens: int, cut: bool = True) -> Choice:
    """Fill a basket by the arm's rule; pinned chunks first. `cut` off: no bond is cut, a group comes whole or not."""
    basket = new_basket(case.chunks, budget_tokens=budget_tokens)
    # A vector knows what a query is about, words know whom and what it names; the default listens to both.
    merits = 0.5 * (case.cosines + case.words()) if arm.policy == "default" else case.cosines
    if "importance" in arm.parameters:
        merits = boosted(
            merits, case.chunks, importance=arm["importance"], freshness=arm["freshness"], half_life=arm["half_life"]
        )
    if arm.policy in ("closure", "credible", "default"):
        if arm.policy == "closure":
            bonds, strata = Dependencies(premises=case.premises, strata=case.strata), case.strata
        else:
            believed = case.believed()
            strata = believed.strata
            bonds = Dependencies(
                premises=believed.premises,
                strata=strata,
                beliefs=believed.beliefs,
                ignore_below=arm["ignore"],
                cut_below=arm["cut"] if cut else 0.0,
            )
        if case.least:
            bonds = replace(bonds, least=case.least(bonds))
        stored = case.hops if arm.policy == "closure" else None
        scores = merits + arm["beta"] * (stored or strata).best_below(merits)
        _pin(basket, bonds)
        fill_groups(basket, scores, bonds)
        return Choice(basket=basket, scores=scores, bonds=bonds)
    scores = _scores(case, arm, merits)
    _pin(basket, None)
    fill(basket, scores, greedy="stop" if arm["stop"] else "skip")
    return Choice(basket=basket, scores=scores)


def _pin(basket: Basket, bonds: Dependencies | None) -> None:
    for chunk in np.flatnonzero(basket.chunks.pinned).tolist():
        if not basket.taken[chunk] and basket.chunks.tokens[chunk] <= basket.left:
            group = grow(chunk, basket, bonds) if bonds else []
            basket.add(group or [chunk], head=chunk)


def _scores(case: Case, arm: RetentionArm, merits: RealArray) -> RealArray:
    count = len(case.chunks)
    match arm.policy:
        case "recent":
            return np.arange(count, dtype=np.float64)
        case "random":
            return np.random.default_rng(int(arm["seed"])).random(count)
        case "similar":
            return merits
        case "everything-with-an-edge":
            # 4 is more than two cosines can differ by, with merits at most 1 each
            return merits + 4.0 * (1 + arm["importance"] + arm["freshness"]) * _linked(case.premises)
        case "no_graph":
            return softmax(merits, temperature=arm["temperature"])
        case _:
            return _lively(case, arm, softmax(merits, temperature=arm["temperature"]))


def _lively(case: Case, arm: RetentionArm, relevance: RealArray) -> RealArray:
    match arm.policy:
        case "dsgc":
            return relevance + arm["lambda"] * _heard(case, relevance)
        case "dsgc_roots":
            return relevance + arm["lambda"] * _live(relevance, case, arm)
        case "multi_hop":
            gamma, depth = arm["gamma"], int(arm["depth"])
            if case.hops is not None and depth <= HOP_LIMIT:
                return relevance + arm["lambda"] * case.hops.damped_hops(relevance, gamma=gamma, depth=depth)
            return relevance + arm["lambda"] * damped_hops(relevance, case.premises, gamma=gamma, depth=depth)
        case "inherit":
            heard = inherited(relevance, case.premises, gamma=arm["gamma"], depth=int(arm["depth"]))
            return relevance + arm["lambda"] * heard
        case _:
            return personalised_pagerank(relevance, case.premises, damping=arm["damping"])


def _heard(case: Case, relevance: RealArray) -> RealArray:
    return one_hop(relevance, case.premises) if case.hops is None else case.hops.one_hop(relevance)


def _live(relevance: RealArray, case: Case, arm: RetentionArm) -> BoolArray:
    if arm["threshold"]:
        roots = above(relevance, threshold=arm["threshold"])
    elif arm["top"]:
        roots = top(relevance, count=int(arm["top"]))
    else:
        roots = otsu(relevance)
    live: BoolArray = _heard(case, roots.astype(np.float64)) > 0
    return live


def _linked(premises: PremiseArrays) -> RealArray:
    linked = np.zeros(premises.count)
    linked[premises.sources] = 1.0
    linked[premises.targets] = 1.0
    return linked
