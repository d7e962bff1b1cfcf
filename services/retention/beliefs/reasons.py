"""Why a premise is believed or doubted, in words: the two features that weighed most, as the mixture was fitted."""

from collections.abc import Iterator, Sequence

import numpy as np

from services.retention.beliefs.beliefs import Beliefs
from services.retention.beliefs.features import SHAPE
from services.retention.session_arrays import OBSERVED, IntArray, run_starts

COUNT = 2
SHARES = ("less {} than half", "more {} than half", "more {} than 80 %", "more {} than 95 %")
SAYINGS = (
    ("the two share no word",) * 5,  # said where there is no word to name
    ("it comes later", "it comes earlier"),
    tuple(f"{which} premise of the chunk shares rare words with it" for which in ("no other", "another")),
    tuple(f"the texts are {share.format('alike')} of random pairs" for share in SHARES),
    (
        "it defines no term that the chunk uses",
        "other premises mention all the terms they share",
        "it is the nearest premise to mention a term they share",
        "it defines a term that the chunk uses",
    ),
    tuple(f"the wording is {share.format('typical of a premise')} of random pairs" for share in SHARES),
)
"""By feature, in the order of `features.PRIORS`, what each of its values says."""


def reasons_of(beliefs: Beliefs) -> Iterator[tuple[str, ...]]:
    """Yield, for each declared premise, what weighed most, as `for: ...` or `against: ...`, the heavier first."""
    weighed, terms = beliefs.weighed, beliefs.terms
    odds = np.log(weighed.fit.true) - np.log(weighed.fit.false)
    starts = np.cumsum((0, *SHAPE[:-1]))
    values = np.stack(weighed.values, axis=1)
    weights = odds[starts + values]
    heaviest = np.argsort(-np.abs(weights), axis=1, kind="stable")[:, :COUNT]
    names = terms.names()
    rarest = _rarest(beliefs, names)
    for row, chosen in enumerate(heaviest.tolist()):
        if beliefs.premises.grades[row] == OBSERVED:
            yield ("for: it was observed in the log",)
            continue
        found = []
        for feature in chosen:
            value = int(values[row, feature])
            saying = SAYINGS[feature][value]
            if feature == 0 and (token := rarest[row]) >= 0:
                saying = f"both say {names[token]!r}, as {terms.frequency[token]} of {terms.rows} texts do"
            found.append(f"{'for' if weights[row, feature] > 0 else 'against'}: {saying}")
        yield tuple(found)


def _rarest(beliefs: Beliefs, names: Sequence[str]) -> IntArray:
    """By premise, the least frequent token that both texts mention, of those the longest; -1 if there is none."""
    shared = beliefs.shared
    found = np.full(len(beliefs.premises), -1)
    if len(shared.pairs):
        lengths = np.fromiter(map(len, names), dtype=np.int64, count=len(names))
        rarity = beliefs.terms.frequency[shared.tokens]
        order = np.lexsort((shared.tokens, -lengths[shared.tokens], rarity, shared.pairs))
        firsts = order[run_starts(shared.pairs[order])]
        found[shared.pairs[firsts]] = shared.tokens[firsts]
    return found
