"""Two kinds of premises, true and false, told apart by what they look like: naive Bayes learnt by MAP-EM.

It sees a table of how often each combination of evidence occurs and knows nothing of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.retention.session_arrays import IntArray, RealArray


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
class Fit:
    """Per combination of evidence the log odds that its premises are true, prior apart; the share of true ones; and the
    learnt chances of each value, the features' values one after the other."""

    log_odds: RealArray
    prior: float
    true: RealArray
    false: RealArray


def tell_apart(
    values: Sequence[IntArray], counts: RealArray, features: Sequence[Feature], *, prior: float, prior_trust: float
) -> Fit:
    """`values[k]` holds the value of feature k in each combination, `counts` how often the combination occurs."""
    # One column a value of a feature: a row of `seen` marks what its combination shows, and sums are products.
    widths = [len(feature.true) for feature in features]
    first = np.cumsum([0, *widths[:-1]])
    seen = np.zeros((len(counts), sum(widths)))
    for value, start in zip(values, first.tolist(), strict=True):
        seen[np.arange(len(counts)), start + value] = 1.0
    guess = tuple(np.concatenate([getattr(feature, side) for feature in features]) for side in ("true", "false"))
    trust = tuple(
        np.repeat([getattr(feature, f"{side}_trust") for feature in features], widths) for side in ("true", "false")
    )
    (true, false), share, odds = guess, prior, np.zeros(len(counts))
    for _ in range(100):
        odds = seen @ (np.log(true) - np.log(false))
        belief = 1 / (1 + np.exp(-np.clip(odds + np.log(share / (1 - share)), -50, 50)))
        before, yes, no = share, belief * counts, (1 - belief) * counts
        share = (float(yes.sum()) + prior * prior_trust) / (float(counts.sum()) + prior_trust)
        true = (yes @ seen + trust[0] * guess[0]) / (yes.sum() + trust[0])
        false = (no @ seen + trust[1] * guess[1]) / (no.sum() + trust[1])
        if abs(share - before) < 1e-6:
            break
    return Fit(log_odds=odds, prior=share, true=true, false=false)
