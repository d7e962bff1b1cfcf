"""Features of a declared premise, each a small whole number, as evidence for and against it.

In a false premise the values are distributed as in a random pair; in a true one the distribution is learnt
(`mixture`).
"""

from dataclasses import replace

import numpy as np

from services.retention.beliefs.definitions import Definitions
from services.retention.beliefs.mixture import Feature
from services.retention.beliefs.term_index import Shared, TermIndex
from services.retention.session_arrays import BoolArray, IntArray, PremiseArrays, RealArray

CHANCES = np.array([0.003, 0.02, 0.1, 0.4])
QUANTILES = (0.5, 0.8, 0.95)
SHARES = np.array([0.5, 0.3, 0.15, 0.05])
RANDOM_PAIRS = 1_024
PRIORS = (
    Feature(
        name="rarity",
        false=np.diff(np.concatenate(([0.0], CHANCES, [1.0]))),
        true=np.array([0.35, 0.3, 0.2, 0.1, 0.05]),
        false_trust=100.0,
    ),
    Feature(name="order", false=np.array([0.5, 0.5]), true=np.array([0.1, 0.9])),
    Feature(name="other", false=np.array([0.5, 0.5]), true=np.array([0.5, 0.5])),  # `false` is counted in the session
    Feature(name="cosine", false=SHARES, true=np.full(4, 0.25)),
    Feature(name="role", false=np.array([0.88, 0.04, 0.04, 0.04]), true=np.array([0.2, 0.02, 0.18, 0.6])),
    Feature(name="bearing", false=SHARES, true=np.full(4, 0.25)),
)
SHAPE = tuple(len(feature.true) for feature in PRIORS)


def random_pairs(count: int) -> tuple[IntArray, IntArray]:
    """Draw pairs of different chunks, by place, never by id; the same for the same number of chunks."""
    random = np.random.default_rng(count)
    left = random.integers(count, size=RANDOM_PAIRS)
    right = random.integers(count, size=RANDOM_PAIRS)
    return left[left != right], right[left != right]


def features_of(
    terms: TermIndex,
    premises: PremiseArrays,
    shared: Shared,
    *,
    known: Definitions,
    cosines: tuple[RealArray, RealArray],
    bearings: tuple[RealArray, RealArray],
) -> tuple[list[IntArray], list[Feature]]:
    """Return the values of the features, one array each, and their distributions before anything is learnt.

    `cosines` and `bearings` hold those of the premises, then those of random pairs.
    """
    sources, targets = premises.sources, premises.targets
    chance = np.ones(len(premises))
    np.minimum.at(chance, shared.pairs, terms.chance().take(shared.tokens))
    rarity = np.searchsorted(CHANCES, chance)
    order = (targets < sources).astype(np.int64)
    supported = chance <= CHANCES[2]
    support = np.bincount(sources[supported], minlength=premises.count)
    other = (support[sources] - supported > 0).astype(np.int64)
    having = np.diff(premises.starts) > 0
    usual = float(np.clip((support[having] > 0).mean(), 0.05, 0.95)) if having.any() else 0.5
    cosine, bearing = _ranked(*cosines), _ranked(*bearings)
    role = _roles(terms, premises, shared, known)
    features = [replace(it, false=np.array([1 - usual, usual])) if it.name == "other" else it for it in PRIORS]
    return [rarity, order, other, cosine, role, bearing], features


def _ranked(values: RealArray, random: RealArray) -> IntArray:
    """Return how many of the QUANTILES of random pairs each value exceeds."""
    return np.searchsorted(np.quantile(random, QUANTILES) if len(random) else np.zeros(len(QUANTILES)), values)


def _roles(terms: TermIndex, premises: PremiseArrays, shared: Shared, known: Definitions) -> IntArray:
    """3: the premise defines a linking token that its dependent uses. 2: of the dependent's premises it is the nearest
    to the definition. 1: other premises mention all of them before. 0: they share no linking token.

    Where both chunks mention identifiers, only a shared identifier counts.
    """
    role = np.zeros(len(premises), dtype=np.int64)
    carries = _carries(terms, known)
    named = carries.take(premises.sources) & carries.take(premises.targets)
    linking, tokens = known.linking, shared.tokens.take(known.linking)
    counts = terms.identifier.take(tokens) | ~named.take(shared.pairs.take(linking))
    linking, tokens = linking[counts], tokens[counts]
    pairs, uses = shared.pairs.take(linking), shared.here.take(linking)
    role[pairs] = 1
    # An entry of the dependent's text stands for its use of a token. Premises come in order of ingestion, so the
    # nearest is the first that shares an entry: written backwards, the first is what remains.
    numbers = np.arange(len(uses))
    first = np.empty(len(terms.tokens), dtype=np.int64)
    first[uses[::-1]] = numbers[::-1]
    role[pairs[first.take(uses) == numbers]] = 2
    role[pairs[known.row.take(tokens) == terms.row_of.take(premises.targets.take(pairs))]] = 3
    return role


def _carries(terms: TermIndex, known: Definitions) -> BoolArray:
    """By chunk: it mentions an identifier that another text mentions too."""
    named = known.entries[terms.identifier.take(terms.tokens.take(known.entries))]
    carries = np.zeros(terms.rows, dtype=np.bool_)
    carries[terms.rows_of(named)] = True
    return carries.take(terms.row_of)
