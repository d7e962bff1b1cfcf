"""Two kinds of premises, true and false, told apart by what they look like: naive Bayes learnt by MAP-EM.

It sees a table of how often each combination of evidence occurs and knows nothing of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.retention.chunks import IntArray, RealArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Feature:
    """A kind of evidence with the chances of its values in a false premise and, at first guess, in a true one.

    `false_trust` and `true_trust` count the imagined premises behind each: how slowly the store's own change it.
    """

    name: str
    false: RealArray
    true: RealArray
    false_trust: float
    true_trust: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdict:
    """Per combination of evidence the log odds that its premises are true, prior apart; and the learnt share."""

    log_odds: RealArray
    prior: float
    true: tuple[RealArray, ...]
    false: tuple[RealArray, ...]


def tell_apart(
    values: Sequence[IntArray], counts: RealArray, features: Sequence[Feature], *, prior: float, prior_trust: float
) -> Verdict:
    """`values[k]` holds the value of feature k in each combination, `counts` how often the combination occurs."""
    true = [feature.true for feature in features]
    false = [feature.false for feature in features]
    share = prior
    odds = np.zeros(len(counts))
    for _ in range(200):
        odds = np.zeros(len(counts))
        for value, yes, no in zip(values, true, false, strict=True):
            odds += np.log(yes[value]) - np.log(no[value])
        belief = 1 / (1 + np.exp(-np.clip(odds + np.log(share / (1 - share)), -50, 50)))
        before = share
        share = (float((belief * counts).sum()) + prior * prior_trust) / (float(counts.sum()) + prior_trust)
        true = [
            _learnt(value, belief * counts, guess=feature.true, trust=feature.true_trust)
            for value, feature in zip(values, features, strict=True)
        ]
        false = [
            _learnt(value, (1 - belief) * counts, guess=feature.false, trust=feature.false_trust)
            for value, feature in zip(values, features, strict=True)
        ]
        if abs(share - before) < 1e-7:
            break
    return Verdict(log_odds=odds, prior=share, true=tuple(true), false=tuple(false))


def _learnt(value: IntArray, weights: RealArray, *, guess: RealArray, trust: float) -> RealArray:
    if np.isinf(trust):
        return guess
    heard = np.bincount(value, weights=weights, minlength=len(guess))
    learnt: RealArray = (heard + trust * guess) / (heard.sum() + trust)
    return learnt
