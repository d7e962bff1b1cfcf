"""The rules: how memories change the registry's scores. Each is one function on arrays.

A rule reads the registry's scores and the memories near the question; it knows no store, no text and no id. Names,
parameters and defaults are declared in `arms`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from graph.evidence import FULL_SUPPORT, LEXICAL_LIMIT, Expectation, MemoryEvidence, Scores
from services.discovery.candidates import Candidates, Floats
from services.measures import CUT

LEAST_WEIGHT = 0.01
NOTHING_EXPECTED = Expectation(memory="", objects=(), scores=(), support=1.0)
NO_TERMS = Scores()
SAMENESS = 3  # a memory of nearly the same words counts whatever the registry ranks first
ECHO = 0.25  # the part of two intents' similarity that is how alike the registry's results for them are


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recall:
    """The memories near a question, largest reach first: `found` and `expected` are k x n, over n candidates.

    `terms` (n) is Eq. 1's term of each candidate, as the store summed it over what the nearest memories found.
    `intent_similarities` (k x k) and `object_similarities` (n x n) are there for rules that need them. `everything`
    (k x m) are the whole expectations: its first n columns are `expected`, the others objects that are no candidates.
    """

    memories: tuple[MemoryEvidence, ...]
    found: Floats
    expected: Floats
    everything: Floats
    terms: Floats
    intent_similarities: Floats | None = None
    object_similarities: Floats | None = None

    def of(self, attribute: str) -> Floats:
        """One number of each memory, as an array (k)."""
        return np.array([getattr(memory, attribute) for memory in self.memories], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attribution:
    """The score of each candidate as a sum: the registry's part (n), and each memory's contribution (k x n). `total`
    (n) is the sum of contributions where the store has made it."""

    registry: Floats
    contributions: Floats
    total: Floats | None = None

    @property
    def memory(self) -> Floats:
        return np.asarray(self.contributions.sum(axis=0)) if self.total is None else self.total

    @property
    def score(self) -> Floats:
        return self.registry + self.memory

    def trusted(self, trust: float) -> Attribution:
        """The same with the memories' contributions scaled by trust."""
        return Attribution(registry=self.registry, contributions=trust * self.contributions)


RuleFunction = Callable[..., Attribution]
"""From the registry's scores (n) and a `Recall`, and the rule's own parameters by name."""


def recall(
    candidates: Candidates,
    memories: tuple[MemoryEvidence, ...],
    *,
    terms: Scores = NO_TERMS,
    intent_similarities: Floats | None = None,
    object_similarities: Floats | None = None,
) -> Recall:
    """Lay out the memories over the rows of the candidates."""
    everything = _expectations(candidates, memories)
    return Recall(
        memories=memories,
        found=candidates.marked([memory.objects for memory in memories]),
        expected=everything[:, : len(candidates.ids)],
        everything=everything,
        terms=candidates.column(terms),
        intent_similarities=intent_similarities,
        object_similarities=object_similarities,
    )


def _expectations(candidates: Candidates, memories: tuple[MemoryEvidence, ...]) -> Floats:
    """k x m: what was expected of each, the candidates' rows first and then objects that are no candidates."""
    known = [memory.expected or NOTHING_EXPECTED for memory in memories]
    column_of = dict(candidates.row_of)
    columns = [column_of.setdefault(item, len(column_of)) for expected in known for item in expected.objects]
    everything = np.zeros((len(known), len(column_of)))
    rows = np.repeat(np.arange(len(known)), [len(expected.objects) for expected in known])
    everything[rows, columns] = list(chain.from_iterable(expected.scores for expected in known))
    return everything


def registry_alone(r: Floats, memories: Recall) -> Attribution:
    """S0 and S1: no memory."""
    return Attribution(registry=r, contributions=np.zeros_like(memories.found))


def memory_alone(r: Floats, memories: Recall) -> Attribution:
    """S2: Eq. 1 without the registry."""
    return eq1(np.zeros_like(r), memories)


def eq1(r: Floats, memories: Recall) -> Attribution:
    """S3: r(q, o) + alpha * the similarities of those among the nearest memories that found o, summed by the store."""
    contributions = memories.of("share")[:, None] * memories.found
    return Attribution(registry=r, contributions=contributions, total=memories.terms)


def naive(r: Floats, memories: Recall) -> Attribution:
    """S4: the objects of the nearest memory on top, the registry's order within and below; no parts to add up."""
    shares = memories.of("share")
    on_top = r
    if shares.max(initial=0.0) > 0:
        nearest = min(range(len(shares)), key=lambda row: (-shares[row], memories.memories[row].id))
        on_top = r + memories.found[nearest] * (1 + r.max(initial=0.0))
    return registry_alone(on_top, memories)


def rocchio(r: Floats, memories: Recall, *, beta: float, gamma: float) -> Attribution:
    """Rocchio's feedback: the question moves towards what the nearest memories found, and away from the ten best of
    the registry outside of it. Scores are linear in the question, so similarities of objects stand for vectors."""
    found = memories.found[memories.of("share") > 0].any(axis=0)
    if not found.any() or memories.object_similarities is None:
        return registry_alone(r, memories)
    outside = np.flatnonzero(~found & (r > 0))
    outside = outside[np.argsort(-r[outside], kind="stable")[:10]]
    moved = r + beta * memories.object_similarities[found].mean(axis=0)
    if len(outside):
        moved = moved - gamma * memories.object_similarities[outside].mean(axis=0)
    return registry_alone(np.maximum(moved, 0), memories)


def vote(r: Floats, memories: Recall, *, power: float, doubt: float, agreement: float, k: float) -> Attribution:
    """What the `k` nearest memories found, by their weights' shares; doubt sends it to 0 where every memory is far."""
    weights = memories.of("similarity") ** power * memories.of("confidence")
    if agreement:
        sizes = np.maximum(memories.found.sum(axis=1), 1)
        weights = weights * (memories.found @ np.minimum(r, 1) / sizes) ** agreement
    weights[np.argsort(-weights, kind="stable")[int(k) :]] = 0
    shares = weights / (weights.sum() + doubt)
    return Attribution(registry=r, contributions=shares[:, None] * memories.found)


def correct(r: Floats, memories: Recall, *, doubt: float) -> Attribution:
    """A memory adds what its intent needed beyond the registry's score, and subtracts what the registry scored for it
    and it did not need."""
    weights = np.round(memories.of("reach"), 12)  # two stores, and two libraries, differ in the last bit of a power
    weights = weights * fits(r, memories.found)
    shares = weights / (weights.sum() + doubt)
    return Attribution(registry=r, contributions=shares[:, None] * (memories.found - memories.expected))


def ridge(r: Floats, memories: Recall, *, floor: float, penalty: float) -> Attribution:
    """The same corrections, by the shares of a kernel ridge regression over intents: a memory counts less where a
    nearer one found the same.

    Intents are similar by their words (and embeddings), and for ECHO of it by what the registry finds for them: a
    paraphrase that shares few words still finds the same objects.
    """
    weights = memories.of("confidence") * np.maximum(LEAST_WEIGHT, memories.of("weight") * fits(r, memories.found))
    counted, among = _counted(r), memories.everything @ memories.everything.T
    lengths, length = np.sqrt(among.diagonal()), sqrt(counted @ counted)
    near = (1 - ECHO) * memories.of("similarity") + ECHO * _cosines(memories.expected @ counted, lengths * length)
    shares = _beyond(near, floor)
    if memories.intent_similarities is not None:
        echoes = _cosines(among, np.multiply.outer(lengths, lengths))
        kernel = _beyond((1 - ECHO) * memories.intent_similarities + ECHO * echoes, floor)
        np.fill_diagonal(kernel, 1 + penalty / weights)
        shares = np.asarray(np.linalg.solve(kernel, shares), dtype=np.float64)
    shares = shares * max(agreement(r, shares @ memories.found), near.max(initial=0.0) ** SAMENESS)
    return Attribution(registry=r, contributions=shares[:, None] * (memories.found - memories.expected))


def agreement(r: Floats, votes: Floats) -> float:
    """How far the memories together name at least one of the registry's first CUT objects, within 0 and 1 (`_curve`).

    Memories that are all near and all wrong agree on objects that the registry does not find at all. Where it finds
    nothing the result is 1.
    """
    first = _order(r)[:CUT]
    first = first[r[first] > 0]
    return float(_curve(votes[first].max(initial=0.0))) if len(first) else 1.0


def fits(r: Floats, found: Floats) -> Floats:
    """How far the registry, asked this question, finds what each memory found (k), within 0 and 1 (`_curve`).

    Support is the same for the memory's own intent. A memory that has support and does not fit is about something
    else, however similar the words: this is the guard against memories that are right for another question.
    """
    counted = _counted(r)
    possible = np.append(0.0, np.cumsum(np.sort(counted)[::-1]))
    best = possible[np.minimum(found.sum(axis=1).astype(int), len(r))]
    share = np.divide(found @ counted, best, out=np.ones(len(found)), where=best > 0)
    return _curve(share)


def _curve(share: Floats | float) -> Floats:
    """The curve of `support_weight`: 1 from FULL_SUPPORT on, the square of the shortfall below."""
    return np.asarray(np.clip(np.divide(share, FULL_SUPPORT), 0, 1) ** 2)


def _counted(r: Floats) -> Floats:
    """The best LEXICAL_LIMIT of the registry's scores, as many as an expectation holds; 0 for the others."""
    counted = np.zeros(len(r))
    order = _order(r)[:LEXICAL_LIMIT]
    counted[order] = r[order]
    return counted


def _order(r: Floats) -> NDArray[np.intp]:
    """Rows best first, ties by row: the last bit of a sum decides no place."""
    return np.argsort(-np.round(r, 9), kind="stable")


def _cosines(products: Floats, lengths: Floats) -> Floats:
    """Products by lengths, 0 where one is, rounded as cosines are everywhere: the order of a sum moves no score."""
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return np.asarray(np.minimum(np.round(cosines, 6), 1))


def _beyond(similarity: Floats, floor: float) -> Floats:
    return np.maximum(0.0, (similarity - floor) / (1 - floor))


def lift_parts(candidates: Candidates, attribution: Attribution) -> Attribution:
    """Tables lifted to their best column take that column's parts; the table itself is kept where it ties with it."""
    score = np.round(attribution.score, 9)
    rows = np.arange(len(score))
    rising = np.lexsort((-rows, candidates.table == rows, score))
    best = rows.copy()
    best[candidates.table[rising]] = rising  # of a table's rows the last stays, which is the best
    return Attribution(
        registry=attribution.registry[best],
        contributions=attribution.contributions[:, best],
        total=None if attribution.total is None else attribution.total[best],
    )
