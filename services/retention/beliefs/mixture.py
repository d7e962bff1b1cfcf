"""True and false premises as a mixture of two classes: naive Bayes over discrete features, fitted by MAP-EM.

Input is a table of how often each combination of values occurs; nothing here reads texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.retention.session_arrays import IntArray, RealArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Feature:
    """A feature with the distributions of its values in a false premise and, as a first guess, in a true one.

    `false_trust` and `true_trust` are their weights as priors, in imagined premises.
    """

    name: str
    false: RealArray
    true: RealArray
    false_trust: float = 20.0
    true_trust: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """`log_odds`: for each combination of values, the log odds that its premises are true, prior apart. `prior`: the
    share of true premises. `true`, `false`: the learnt probability of each value, feature after feature."""

    log_odds: RealArray
    prior: float
    true: RealArray
    false: RealArray


def tell_apart(
    values: Sequence[IntArray], counts: RealArray, features: Sequence[Feature], *, prior: float, prior_trust: float
) -> Fit:
    """Fit the mixture; `values[k]` holds the value of feature k in each combination, `counts` its occurrences."""
    # One-hot encoding: a row of `seen` marks the values of its combination, so that products of chances are sums.
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
