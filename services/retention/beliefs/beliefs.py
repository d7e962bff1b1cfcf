"""Belief in each premise of a session, learnt from the session itself and without any query.

Declared premises may be false and true ones may be missing: policies follow the declared ones as far as they are
believed, and inferred ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graph.premises import PREMISE_GRADES
from services.retention.beliefs.definitions import Ends, Inferred, bearings, count_ends, definitions, infer_premises
from services.retention.beliefs.features import SHAPE, features_of, random_pairs
from services.retention.beliefs.mixture import Fit, tell_apart
from services.retention.beliefs.term_index import Shared, TermIndex
from services.retention.liveness import Layers
from services.retention.policies import Believed
from services.retention.relevance import Relevance
from services.retention.session_arrays import OBSERVED, IntArray, PremiseArrays, RealArray, make_premises

PRIOR = 0.9
PRIOR_TRUST = 10.0
FEW = 10.0  # with fewer premises there is too little to learn from: hardly any belief is lowered


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weighed:
    """`declared`: the probability of each premise of the session, its weight where it was observed. `believed`: these
    and inferred ones for the policies.

    `values` (one array a feature, one value a premise) and `fit` are the evidence that `declared` came from.
    """

    declared: RealArray
    inferred: Inferred
    believed: Believed
    values: list[IntArray]
    fit: Fit


@dataclass(frozen=True, kw_only=True, eq=False)
class Beliefs:
    """The beliefs of a session at one moment, with what further chunks need so that they cost only their own."""

    terms: TermIndex
    premises: PremiseArrays
    shared: Shared
    cosines: RealArray
    ends: Ends
    index: Relevance

    @cached_property
    def weighed(self) -> Weighed:
        """The beliefs, computed at the first use, so that several additions in a row are fitted once."""
        terms, premises, shared = self.terms, self.premises, self.shared
        bearing = bearings(terms, self.ends)
        known = definitions(terms, premises, shared, bearing=bearing)
        left, right = random_pairs(premises.count) if premises.count > 1 else (np.empty(0, dtype=np.int64),) * 2
        values, features = features_of(
            terms,
            premises,
            shared,
            known=known,
            cosines=(self.cosines, self.index.between(left, right)),
            bearings=(
                bearing[terms.row_of[premises.targets]] - bearing[terms.row_of[premises.sources]],
                bearing[terms.row_of[right]] - bearing[terms.row_of[left]],
            ),
        )
        code = np.ravel_multi_index(values, SHAPE)
        observed = premises.grades == OBSERVED
        kinds, kind = np.unique(code, return_inverse=True)
        times = np.bincount(kind[~observed], minlength=len(kinds)).astype(np.float64)
        fit = tell_apart(np.unravel_index(kinds, SHAPE), times, features, prior=PRIOR, prior_trust=PRIOR_TRUST)
        edges = len(premises) - int(observed.sum())
        trust = edges**2 / (edges**2 + FEW**2)
        odds = trust * fit.log_odds + np.log(fit.prior / (1 - fit.prior))
        # The weight of an observed or inferred premise is an upper bound on its belief.
        declared: RealArray = (1 / (1 + np.exp(-np.clip(odds, -50, 50))))[kind] * premises.weights
        # What a log states is a fact, and no measure for what is declared: a result shares no word with its call.
        declared[observed] = premises.weights[observed]
        largest = float(declared[~observed].max(initial=0.0)) or 1.0
        relative = np.where(observed, declared, declared / largest)
        inferred = infer_premises(terms, shared, known, believed=relative >= 0.5, trust=np.sqrt(trust))
        believed = _joined(premises, relative, inferred)
        return Weighed(declared=declared, inferred=inferred, believed=believed, values=values, fit=fit)

    @property
    def declared(self) -> RealArray:
        """The probability of each declared premise, not divided by the largest."""
        return self.weighed.declared

    @property
    def believed(self) -> Believed:
        return self.weighed.believed

    def extended(self, texts: Sequence[str], *, premises: PremiseArrays, index: Relevance) -> Beliefs:
        """Return the beliefs with further chunks at the end, equal to those of the whole session computed at once.

        `premises` and `index` are those of the whole session. Counts are reused where the old premises come first, as
        they do when new chunks depend on others.
        """
        terms, known = self.terms.extended(texts), len(self.premises)
        if not _begins_with(premises, self.premises):
            return _counted(terms, premises, index=index)
        fresh = np.arange(known, len(premises))
        sources, targets = premises.sources[known:], premises.targets[known:]
        found = terms.shared(sources, targets)
        return Beliefs(
            terms=terms,
            premises=premises,
            shared=Shared(
                pairs=np.concatenate((self.shared.pairs, known + found.pairs)),
                tokens=np.concatenate((self.shared.tokens, found.tokens)),
                here=np.concatenate((self.shared.here, found.here)),
                there=np.concatenate((self.shared.there, found.there)),
            ),
            cosines=np.concatenate((self.cosines, index.between(sources, targets))),
            ends=count_ends(terms, premises, found, fresh=fresh, before=self.ends),
            index=index,
        )


def believe(texts: Sequence[str], *, premises: PremiseArrays, index: Relevance) -> Beliefs:
    """Return the beliefs of a session; `index` covers its chunks, `premises` those among them."""
    return _counted(TermIndex().extended(texts), premises, index=index)


def _counted(terms: TermIndex, premises: PremiseArrays, *, index: Relevance) -> Beliefs:
    shared = terms.shared(premises.sources, premises.targets)
    return Beliefs(
        terms=terms,
        premises=premises,
        shared=shared,
        cosines=index.between(premises.sources, premises.targets),
        ends=count_ends(terms, premises, shared, fresh=np.arange(len(premises)), before=None),
        index=index,
    )


def _begins_with(premises: PremiseArrays, old: PremiseArrays) -> bool:
    return np.array_equal(premises.sources[: len(old)], old.sources) and np.array_equal(
        premises.targets[: len(old)], old.targets
    )


def _joined(premises: PremiseArrays, beliefs: RealArray, inferred: Inferred) -> Believed:
    """Declared and inferred premises as one; a premise that is both has the larger belief."""
    if len(inferred.sources):
        grade = np.full(len(inferred.sources), PREMISE_GRADES.index("inferred"), dtype=np.int8)
        sources = np.concatenate((premises.sources, inferred.sources))
        targets = np.concatenate((premises.targets, inferred.targets))
        premises = make_premises(
            premises.count,
            np.stack((sources, targets), axis=1),
            weights=np.concatenate((beliefs, inferred.weights)),
            grades=np.concatenate((premises.grades, grade)),
        )
        beliefs = premises.weights
    return Believed(premises=premises, beliefs=beliefs, layers=Layers(premises, weights=beliefs))
