"""How far each premise of a session is believed, learnt from the session itself and without any query.

PremiseArrays may lie, and may lack: the believed premises are the declared ones with their beliefs, and inferred ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graph.premises import PREMISE_GRADES
from services.retention.beliefs.definitions import Ends, Inferred, bearings, count_ends, definitions, infer_premises
from services.retention.beliefs.features import SHAPE, features_of, random_pairs
from services.retention.beliefs.mixture import tell_apart
from services.retention.beliefs.term_index import Shared, TermIndex
from services.retention.liveness import Layers
from services.retention.policies import Believed
from services.retention.relevance import Relevance
from services.retention.session_arrays import PremiseArrays, RealArray, from_sorted

PRIOR = 0.9
PRIOR_TRUST = 10.0
FEW = 10.0  # so few premises are no ground to doubt any of them


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weighed:
    """The chance of each declared premise, the inferred ones, and both together as policies follow them."""

    declared: RealArray
    inferred: Inferred
    believed: Believed


class Beliefs:
    """The beliefs of one session as it is, with what is needed to take in further chunks without starting anew."""

    def __init__(
        self,
        *,
        mentions: TermIndex,
        premises: PremiseArrays,
        shared: Shared,
        cosines: RealArray,
        ends: Ends,
        index: Relevance,
    ) -> None:
        self.mentions, self.premises, self.shared, self.cosines, self.ends = mentions, premises, shared, cosines, ends
        self._index = index

    @cached_property
    def weighed(self) -> Weighed:
        """What all this amounts to, reckoned when it is first asked for: additions in between cost only their own."""
        mentions, premises, shared = self.mentions, self.premises, self.shared
        index, cosines = self._index, self.cosines
        bearing = bearings(mentions, self.ends)
        known = definitions(mentions, premises, shared, bearing=bearing)
        left, right = random_pairs(premises.count) if premises.count > 1 else (np.empty(0, dtype=np.int64),) * 2
        values, features = features_of(
            mentions,
            premises,
            shared,
            known=known,
            cosines=(cosines, index.between(left, right)),
            bearings=(
                bearing[mentions.row_of[premises.targets]] - bearing[mentions.row_of[premises.sources]],
                bearing[mentions.row_of[right]] - bearing[mentions.row_of[left]],
            ),
        )
        code = np.ravel_multi_index(values, SHAPE)
        kinds, kind, times = np.unique(code, return_inverse=True, return_counts=True)
        fit = tell_apart(
            np.unravel_index(kinds, SHAPE), times.astype(np.float64), features, prior=PRIOR, prior_trust=PRIOR_TRUST
        )
        edges = len(premises)
        trust = edges**2 / (edges**2 + FEW**2)
        odds = trust * fit.log_odds + np.log(fit.prior / (1 - fit.prior))
        # An observed or inferred premise comes with a weight of its own: no more than that is believed.
        declared: RealArray = (1 / (1 + np.exp(-np.clip(odds, -50, 50))))[kind] * premises.weights
        largest = float(declared.max()) if edges else 1.0
        relative = declared / largest if largest else declared
        inferred = infer_premises(mentions, shared, known, believed=relative >= 0.5, trust=np.sqrt(trust))
        return Weighed(declared=declared, inferred=inferred, believed=_joined(premises, relative, inferred))

    @property
    def declared(self) -> RealArray:
        """The chance of each declared premise, not yet divided by the largest."""
        return self.weighed.declared

    @property
    def inferred(self) -> Inferred:
        return self.weighed.inferred

    @property
    def believed(self) -> Believed:
        return self.weighed.believed

    def extended(self, texts: Sequence[str], *, premises: PremiseArrays, index: Relevance) -> Beliefs:
        """Further chunks at the end; `premises` and `index` are those of the whole session. Equal to a fresh start.

        What is known of a premise is kept where the old ones come first, as they do when new chunks rest on others;
        else all premises are looked at anew.
        """
        mentions, known = self.mentions.extended(texts), len(self.premises)
        if not _begins_with(premises, self.premises):
            return _look(mentions, premises, index=index)
        fresh = np.arange(known, len(premises))
        sources, targets = premises.sources[known:], premises.targets[known:]
        found = mentions.shared(sources, targets)
        return Beliefs(
            mentions=mentions,
            premises=premises,
            shared=Shared(
                pairs=np.concatenate((self.shared.pairs, known + found.pairs)),
                tokens=np.concatenate((self.shared.tokens, found.tokens)),
                here=np.concatenate((self.shared.here, found.here)),
                there=np.concatenate((self.shared.there, found.there)),
            ),
            cosines=np.concatenate((self.cosines, index.between(sources, targets))),
            ends=count_ends(mentions, premises, found, fresh=fresh, before=self.ends),
            index=index,
        )


def believe(texts: Sequence[str], *, premises: PremiseArrays, index: Relevance) -> Beliefs:
    """The beliefs of a session; `index` covers its chunks, `premises` those among them."""
    return _look(TermIndex().extended(texts), premises, index=index)


def _look(mentions: TermIndex, premises: PremiseArrays, *, index: Relevance) -> Beliefs:
    shared = mentions.shared(premises.sources, premises.targets)
    return Beliefs(
        mentions=mentions,
        premises=premises,
        shared=shared,
        cosines=index.between(premises.sources, premises.targets),
        ends=count_ends(mentions, premises, shared, fresh=np.arange(len(premises)), before=None),
        index=index,
    )


def _begins_with(premises: PremiseArrays, old: PremiseArrays) -> bool:
    return np.array_equal(premises.sources[: len(old)], old.sources) and np.array_equal(
        premises.targets[: len(old)], old.targets
    )


def _joined(premises: PremiseArrays, beliefs: RealArray, inferred: Inferred) -> Believed:
    """Declared and inferred premises as one; what is declared but doubted and inferred again has the larger belief."""
    if not len(inferred.sources):
        return Believed(premises=premises, beliefs=beliefs, layers=Layers(premises, weights=beliefs))
    count = premises.count
    keys = np.concatenate((premises.sources * count + premises.targets, inferred.sources * count + inferred.targets))
    grades = np.concatenate(
        (premises.grades, np.full(len(inferred.sources), PREMISE_GRADES.index("inferred"), dtype=np.int8))
    )
    order = np.argsort(keys, kind="stable")
    keys, grades = keys[order], grades[order]
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    weights = np.maximum.reduceat(np.concatenate((beliefs, inferred.weights))[order], firsts)
    joined = from_sorted(
        count, keys[firsts] // count, keys[firsts] % count, weights=weights, grades=np.minimum.reduceat(grades, firsts)
    )
    return Believed(premises=joined, beliefs=weights, layers=Layers(joined, weights=weights))
