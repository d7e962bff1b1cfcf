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

from graph.evidence import LEXICAL_LIMIT, MemoryEvidence, Scores
from graph.memories import Standing
from services.discovery.candidates import Candidates, Floats
from services.discovery.expectations import NOTHING_EXPECTED

FIRST_WEIGHT = 0.1  # of a memory by which others are judged, at the least
LEAST_WEIGHT = 0.01
FULL_SUPPORT = 0.6
NO_TERMS = Scores()
COUNTED = 30  # of what was expected: all 50 found nothing more, and cost half as much again
SAMENESS = 48  # a memory of the very question counts, whatever the registry says of it; ^8 lets corrupt ones in
SURE = 0.9  # the very question weighs tenfold: else what the registry finds in vain stands before what is needed
ECHO = 0.25  # the part of two intents' similarity that is how alike the registry's results for them are


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recall:
    """The memories near a question, nearest first: `found` and `expected` are k x n, over n candidates.

    `terms` (n) is Eq. 1's term of each candidate, as the store summed it over what the nearest memories found.
    `intent_similarities` (k x k) and `object_similarities` (n x n) are there for rules that need them, and `credit`,
    how far the registry is believed (`services.discovery.credit`). `everything` (k x m) are all expectations: its first
    n columns are `expected`, the others objects that are no candidates.
    """

    memories: tuple[MemoryEvidence, ...]
    found: Floats
    expected: Floats
    everything: Floats
    terms: Floats
    intent_similarities: Floats | None = None
    object_similarities: Floats | None = None
    credit: float = 1.0

    @property
    def supports(self) -> Floats:
        """How far the registry itself would have found what each memory found (k), within 0 and 1."""
        supports = [(memory.expected or NOTHING_EXPECTED).support for memory in self.memories]
        return np.array(supports, dtype=np.float64)

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
    credit: float = 1.0,
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
        credit=credit,
    )


def _expectations(candidates: Candidates, memories: tuple[MemoryEvidence, ...]) -> Floats:
    """k x m: the first COUNTED that were expected of each, the candidates' rows first, then other objects."""
    known = [memory.expected or NOTHING_EXPECTED for memory in memories]
    items = list(chain.from_iterable(expected.objects[:COUNTED] for expected in known))
    ids = dict.fromkeys(chain(candidates.ids, items))
    column_of = dict(zip(ids, range(len(ids)), strict=True))
    columns = list(map(column_of.__getitem__, items))
    everything = np.zeros((len(known), len(column_of)))
    rows = np.repeat(np.arange(len(known)), [len(expected.objects[:COUNTED]) for expected in known])
    everything[rows, columns] = list(chain.from_iterable(expected.scores[:COUNTED] for expected in known))
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


def corroborate(r: Floats, memories: Recall, *, floor: float, penalty: float) -> Attribution:
    """What memories correct, each as far as it is borne out: it adds what its intent needed beyond the registry's
    score, and subtracts what the registry scored for it and it did not need.

    Shares are those of a kernel ridge regression over intents, so that a memory counts less where a nearer one says
    the same. A memory is borne out by the registry (support), by what the others say of its intent (left out of the
    regression, in its closed form), by being the very question, or by outcomes told after it was made. Intents are
    similar by their words (and embeddings), and for ECHO of it by what the registry finds for them: a paraphrase that
    shares few words still finds the same objects. The registry's scores, its findings and its support count as far as
    its credit goes.
    """
    credit, registry = memories.credit, memories.credit * r
    least, echo = credit * floor, credit * ECHO
    counted, among = _counted(r), memories.everything @ memories.everything.T
    lengths, length = np.sqrt(among.diagonal()), sqrt(counted @ counted)
    similarity = memories.of("similarity")
    near = (1 - echo) * similarity + echo * _cosines(memories.expected @ counted, lengths * length)
    asked = _beyond(near, least)
    if memories.intent_similarities is None or not len(asked):
        return registry_alone(registry, memories)
    echoes = _cosines(among, np.multiply.outer(lengths, lengths))
    kernel = _beyond((1 - echo) * memories.intent_similarities + echo * echoes, least)
    np.fill_diagonal(kernel, 1.0)
    confidence, same = memories.of("confidence"), similarity**SAMENESS
    support = np.maximum(_borne_out(memories.supports), 1 - credit)
    first = confidence * np.maximum.reduce([np.full_like(same, FIRST_WEIGHT), support, same])
    told = np.array([_told(memory) for memory in memories.memories])
    alone = np.maximum.reduce([np.full_like(same, LEAST_WEIGHT), support, same, told])
    doubted = np.flatnonzero(alone < 1)
    agreed = _borne_out(_left_out(memories, kernel + np.diag(penalty / first), rows=doubted))
    alone[doubted] = np.maximum(alone[doubted], agreed)
    weight = confidence * alone / (1 - SURE * same)
    shares = np.asarray(np.linalg.solve(kernel + np.diag(penalty / weight), asked), dtype=np.float64)
    return Attribution(registry=registry, contributions=shares[:, None] * (memories.found - credit * memories.expected))


def _left_out(memories: Recall, kernel: Floats, *, rows: NDArray[np.intp]) -> Floats:
    """How far all other memories find what each of `rows` found, within 0 and 1, as support says it of the registry.

    What the others say of its intent is what the ridge regression predicts for it without it: in closed form
    Y_j - (A^-1 Y)_j / (A^-1)_jj (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, eq. 5.12).
    """
    inverse, width = np.linalg.inv(kernel), memories.found.shape[1]
    found, weights = memories.found[rows], inverse[rows] / inverse.diagonal()[rows, None]
    said = weights @ (memories.credit * memories.everything)  # with B_j, which Y_j takes away: 1 where it found
    said[:, :width] += found - weights @ memories.found
    np.maximum(said, 0, out=said)
    sizes = found.sum(axis=1).astype(int)
    most = int(sizes.max(initial=0))
    if not most:
        return np.zeros(len(rows))
    best = np.sort(np.partition(said, -most, axis=1)[:, -most:], axis=1)[:, ::-1]
    possible = np.cumsum(best, axis=1)[np.arange(len(rows)), sizes - 1]
    held = (found * said[:, :width]).sum(axis=1)
    return np.asarray(np.divide(held, possible, out=np.zeros(len(rows)), where=possible > 0))


def _borne_out(support: Floats) -> Floats:
    """How far a support, within 0 and 1, bears a memory out: steeply, so that half of FULL_SUPPORT is a sixteenth."""
    return np.asarray(np.minimum(1.0, support / FULL_SUPPORT) ** 4)


def _told(memory: MemoryEvidence) -> float:
    """Wilson's lower bound of the outcomes told after it was made: all but the first success, which made it."""
    return Standing(successes=max(0, memory.successes - 1), failures=memory.failures).low


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
