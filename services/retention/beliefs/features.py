"""What speaks for and against each declared premise, as small numbers: one value of each feature a premise.

The chances of the values in a false premise are those of a random pair; in a true one they are learnt (`mixture`).
"""

from __future__ import annotations

import numpy as np

from services.retention.beliefs.definitions import Definitions
from services.retention.beliefs.mixture import Feature
from services.retention.beliefs.term_index import Shared, TermIndex
from services.retention.session_arrays import BoolArray, IntArray, PremiseArrays, RealArray

CHANCES = np.array([0.003, 0.02, 0.1, 0.4])
QUANTILES = (0.5, 0.8, 0.95)
SHARES = np.array([0.5, 0.3, 0.15, 0.05])
RANDOM_PAIRS = 1_024
FEATURES = ("rarity", "order", "other", "cosine", "role", "bearing")
SHAPE = (5, 2, 2, 4, 4, 4)


def random_pairs(count: int) -> tuple[IntArray, IntArray]:
    """Pairs of different chunks, drawn by place, never by id; the same for the same number of chunks."""
    random = np.random.default_rng(count)
    left = random.integers(count, size=RANDOM_PAIRS)
    right = random.integers(count, size=RANDOM_PAIRS)
    return left[left != right], right[left != right]


def features_of(
    mentions: TermIndex,
    premises: PremiseArrays,
    shared: Shared,
    *,
    known: Definitions,
    cosines: tuple[RealArray, RealArray],
    bearings: tuple[RealArray, RealArray],
) -> tuple[list[IntArray], list[Feature]]:
    """The values of the features, one array each, and what is expected of them before anything is learnt.

    `cosines` and `bearings` hold those of the premises, then those of random pairs.
    """
    sources, targets = premises.sources, premises.targets
    chance = np.ones(len(premises))
    np.minimum.at(chance, shared.pairs, mentions.chance().take(shared.tokens))
    rarity = np.searchsorted(CHANCES, chance)
    order = (targets < sources).astype(np.int64)
    supported = chance <= CHANCES[2]
    support = np.bincount(sources[supported], minlength=premises.count)
    other = (support[sources] - supported > 0).astype(np.int64)
    having = np.diff(premises.starts) > 0
    usual = float(np.clip((support[having] > 0).mean(), 0.05, 0.95)) if having.any() else 0.5
    cosine, bearing = _ranked(*cosines), _ranked(*bearings)
    role = _roles(mentions, premises, shared, known)
    features = [
        Feature(
            name="rarity",
            false=np.diff(np.concatenate(([0.0], CHANCES, [1.0]))),
            true=np.array([0.35, 0.3, 0.2, 0.1, 0.05]),
            false_trust=100.0,
            true_trust=5.0,
        ),
        Feature(name="order", false=np.array([0.5, 0.5]), true=np.array([0.1, 0.9]), false_trust=20.0, true_trust=5.0),
        Feature(
            name="other",
            false=np.array([1 - usual, usual]),
            true=np.array([0.5, 0.5]),
            false_trust=20.0,
            true_trust=5.0,
        ),
        Feature(name="cosine", false=SHARES, true=np.full(4, 0.25), false_trust=20.0, true_trust=5.0),
        Feature(
            name="role",
            false=np.array([0.88, 0.04, 0.04, 0.04]),
            true=np.array([0.2, 0.02, 0.18, 0.6]),
            false_trust=20.0,
            true_trust=5.0,
        ),
        Feature(name="bearing", false=SHARES, true=np.full(4, 0.25), false_trust=20.0, true_trust=5.0),
    ]
    return [rarity, order, other, cosine, role, bearing], features


def _ranked(values: RealArray, random: RealArray) -> IntArray:
    """How high each value stands among those of random pairs: which of the quantiles it exceeds."""
    return np.searchsorted(np.quantile(random, QUANTILES) if len(random) else np.zeros(len(QUANTILES)), values)


def _roles(mentions: TermIndex, premises: PremiseArrays, shared: Shared, known: Definitions) -> IntArray:
    """3: the premise introduces a telling word that its dependent uses. 2: of the dependent's premises it is the
    nearest to the introduction. 1: another premise says all of them before. 0: they share no telling word.

    Where both chunks carry identifiers, only a shared identifier counts.
    """
    role = np.zeros(len(premises), dtype=np.int64)
    carries = _carries(mentions, known)
    named = carries.take(premises.sources) & carries.take(premises.targets)
    told, tokens = known.told, shared.tokens.take(known.told)
    counts = mentions.identifier.take(tokens) | ~named.take(shared.pairs.take(told))
    told, tokens = told[counts], tokens[counts]
    pairs, uses = shared.pairs.take(told), shared.here.take(told)
    role[pairs] = 1
    # An entry of the dependent's text stands for its use of a token. PremiseArrays come in order of ingestion, so the
    # nearest is the first that shares an entry: written backwards, the first is what remains.
    numbers = np.arange(len(uses))
    first = np.empty(len(mentions.tokens), dtype=np.int64)
    first[uses[::-1]] = numbers[::-1]
    role[pairs[first.take(uses) == numbers]] = 2
    role[pairs[known.row.take(tokens) == mentions.row_of.take(premises.targets.take(pairs))]] = 3
    return role


def _carries(mentions: TermIndex, known: Definitions) -> BoolArray:
    """By chunk: it mentions an identifier that another text mentions too."""
    named = known.entries[mentions.identifier.take(mentions.tokens.take(known.entries))]
    carries = np.zeros(mentions.rows, dtype=np.bool_)
    carries[mentions.rows_of(named)] = True
    return carries.take(mentions.row_of)
