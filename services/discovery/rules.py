"""The rules: what memories make of the registry's scores. Each is one small function on arrays, written once.

A rule sees the registry's scores and the memories near the question; it knows no store, no text and no id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from graph.evidence import LEXICAL_LIMIT, Expectation, MemoryEvidence
from services.discovery.candidates import Candidates, Floats
from services.measures import CUT

FULL = 0.5  # the same curve as that of support: what is half of what it could be counts fully, less by its square
LEAST_WEIGHT = 0.01
NOTHING_EXPECTED = Expectation(memory="", objects=(), scores=(), support=1.0)
SAMENESS = 3  # what was asked in nearly these words is heard whatever the registry has first
ECHO = 0.25  # how much of the likeness of two intents is that the registry finds the same for both


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recall:
    """The memories near a question, nearest reach first: `found` and `expected` are k x n, over a board's n rows.

    `kin` (k x k) is how alike their intents are, `likeness` (n x n) how alike the objects are, for rules that ask.
    `everything` (k x m) is all that the registry finds for their intents: the first n columns are `expected`, the
    others what is not on the board.
    """

    memories: tuple[MemoryEvidence, ...]
    found: Floats
    expected: Floats
    everything: Floats
    kin: Floats | None = None
    likeness: Floats | None = None

    def of(self, attribute: str) -> Floats:
        return np.array([getattr(memory, attribute) for memory in self.memories], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attribution:
    """The parts of each row's score: the registry's, and each memory's voice (k x n)."""

    registry: Floats
    voices: Floats

    @property
    def memory(self) -> Floats:
        return np.asarray(self.voices.sum(axis=0))

    @property
    def score(self) -> Floats:
        return self.registry + self.memory

    def trusted(self, trust: float) -> Attribution:
        """With the memories heard so far as they are trusted."""
        return Attribution(registry=self.registry, voices=trust * self.voices)


Rule = Callable[[Floats, Recall], Attribution]


def recall(
    board: Candidates,
    memories: tuple[MemoryEvidence, ...],
    *,
    kin: Floats | None = None,
    likeness: Floats | None = None,
) -> Recall:
    everything = _expectations(board, memories)
    return Recall(
        memories=memories,
        found=board.marked([memory.objects for memory in memories]),
        expected=everything[:, : len(board.ids)],
        everything=everything,
        kin=kin,
        likeness=likeness,
    )


def _expectations(board: Candidates, memories: tuple[MemoryEvidence, ...]) -> Floats:
    """k x m: what was expected of each, the board's rows first and then what is not on the board."""
    known = [memory.expected or NOTHING_EXPECTED for memory in memories]
    column_of = dict(board.row_of)
    columns = [column_of.setdefault(item, len(column_of)) for expected in known for item in expected.objects]
    everything = np.zeros((len(known), len(column_of)))
    rows = np.repeat(np.arange(len(known)), [len(expected.objects) for expected in known])
    everything[rows, columns] = list(chain.from_iterable(expected.scores for expected in known))
    return everything


def registry_alone(r: Floats, memories: Recall) -> Attribution:
    """S0 and S1: no memory."""
    return Attribution(registry=r, voices=np.zeros_like(memories.found))


def memory_alone(r: Floats, memories: Recall) -> Attribution:
    """S2: Eq. 1 without the registry."""
    return Attribution(registry=np.zeros_like(r), voices=memories.of("share")[:, None] * memories.found)


def eq1(r: Floats, memories: Recall) -> Attribution:
    """S3: r(q, o) + alpha * the similarities of those among the nearest memories that found o."""
    return Attribution(registry=r, voices=memories.of("share")[:, None] * memories.found)


def naive(r: Floats, memories: Recall) -> Attribution:
    """S4: the objects of the nearest memory on top, the registry's order within and below; no parts to add up."""
    shares = memories.of("share")
    on_top = r
    if shares.max(initial=0.0) > 0:
        nearest = min(range(len(shares)), key=lambda row: (-shares[row], memories.memories[row].id))
        on_top = r + memories.found[nearest] * (1 + r.max(initial=0.0))
    return Attribution(registry=on_top, voices=np.zeros_like(memories.found))


def rocchio(r: Floats, memories: Recall, *, beta: float, gamma: float) -> Attribution:
    """Rocchio's feedback: the question moves towards what the nearest memories found, and away from the ten best of
    the registry outside of it. Scores are linear in the question, so likeness between objects stands for vectors."""
    found = memories.found[memories.of("share") > 0].any(axis=0)
    if not found.any() or memories.likeness is None:
        return registry_alone(r, memories)
    outside = np.flatnonzero(~found & (r > 0))
    outside = outside[np.argsort(-r[outside], kind="stable")[:10]]
    moved = r + beta * memories.likeness[found].mean(axis=0)
    if len(outside):
        moved = moved - gamma * memories.likeness[outside].mean(axis=0)
    return Attribution(registry=np.maximum(moved, 0), voices=np.zeros_like(memories.found))


def vote(r: Floats, memories: Recall, *, power: float, doubt: float, agreement: float, limit: int) -> Attribution:
    """What the nearest memories found, by their weights' shares; doubt sends it to 0 where every memory is far."""
    weights = memories.of("similarity") ** power * memories.of("confidence")
    if agreement:
        sizes = np.maximum(memories.found.sum(axis=1), 1)
        weights = weights * (memories.found @ np.minimum(r, 1) / sizes) ** agreement
    weights[np.argsort(-weights, kind="stable")[int(limit) :]] = 0
    shares = weights / (weights.sum() + doubt)
    return Attribution(registry=r, voices=shares[:, None] * memories.found)


def correct(r: Floats, memories: Recall, *, doubt: float) -> Attribution:
    """A memory adds what its question needed beyond what the registry gave it, and takes what that gave in vain."""
    weights = np.round(memories.of("reach"), 12)  # two stores, and two libraries, differ in the last bit of a power
    weights = weights * fits(r, memories.found)
    shares = weights / (weights.sum() + doubt)
    return Attribution(registry=r, voices=shares[:, None] * (memories.found - memories.expected))


def ridge(r: Floats, memories: Recall, *, floor: float, penalty: float) -> Attribution:
    """The same corrections, by the shares of a kernel ridge regression over intents: a memory counts less where a
    nearer one says the same.

    Intents are alike by their words (and embeddings), and for ECHO of it by what the registry finds for them: a
    paraphrase that shares few words still brings the same objects up.
    """
    weights = memories.of("confidence") * np.maximum(LEAST_WEIGHT, memories.of("weight") * fits(r, memories.found))
    counted, among = _counted(r), memories.everything @ memories.everything.T
    lengths, length = np.sqrt(among.diagonal()), sqrt(counted @ counted)
    near = (1 - ECHO) * memories.of("similarity") + ECHO * _cosines(memories.expected @ counted, lengths * length)
    shares = _beyond(near, floor)
    if memories.kin is not None:
        kin = _beyond((1 - ECHO) * memories.kin + ECHO * _cosines(among, np.multiply.outer(lengths, lengths)), floor)
        np.fill_diagonal(kin, 1 + penalty / weights)
        shares = np.asarray(np.linalg.solve(kin, shares), dtype=np.float64)
    shares = shares * max(agreement(r, shares @ memories.found), near.max(initial=0.0) ** SAMENESS)
    return Attribution(registry=r, voices=shares[:, None] * (memories.found - memories.expected))


def agreement(r: Floats, votes: Floats) -> float:
    """How far the memories together name one at least of the registry's first few, by the square below FULL.

    Memories that are all near and all wrong are many voices for what the registry sees no trace of. Where it sees
    nothing at all it speaks against no memory.
    """
    first = _order(r)[:CUT]
    first = first[r[first] > 0]
    return float(_full(votes[first].max(initial=0.0))) if len(first) else 1.0


def fits(r: Floats, found: Floats) -> Floats:
    """How far the registry, asked this question, finds what each memory found, by the square below FULL.

    Support is the same of the memory's own question. What fits there and not here speaks of something else, however
    like the words: it is the guard against memories that are right and not meant.
    """
    counted = _counted(r)
    possible = np.append(0.0, np.cumsum(np.sort(counted)[::-1]))
    best = possible[np.minimum(found.sum(axis=1).astype(int), len(r))]
    share = np.divide(found @ counted, best, out=np.ones(len(found)), where=best > 0)
    return _full(share)


def _full(share: Floats | float) -> Floats:
    return np.asarray(np.clip(np.divide(share, FULL), 0, 1) ** 2)


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


def lift_parts(board: Candidates, verdict: Attribution) -> Attribution:
    """Tables lifted to their best column take that column's parts; the table itself is kept where it ties with it."""
    score = np.round(verdict.score, 9)
    rows = np.arange(len(score))
    rising = np.lexsort((-rows, board.table == rows, score))
    best = rows.copy()
    best[board.table[rising]] = rising  # of a table's rows the last stays, which is the best
    return Attribution(registry=verdict.registry[best], voices=verdict.voices[:, best])
