"""The rules: what memories make of the registry's scores. Each is one small function on arrays, written once.

A rule sees the registry's scores and the memories near the question; it knows no store, no text and no id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

import numpy as np

from graph.values import MemoryEvidence, Scores
from services.discovery.board import Board, Floats

STARTING_TRUST = 1 / (1 + exp(-1))  # of a workspace whose outcomes have not spoken yet


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recall:
    """The memories near a question, nearest reach first: `found` and `expected` are k x n, over a board's n rows."""

    memories: tuple[MemoryEvidence, ...]
    found: Floats
    expected: Floats
    doubt: float
    trust: float = STARTING_TRUST

    def of(self, attribute: str) -> Floats:
        return np.array([getattr(memory, attribute) for memory in self.memories], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdict:
    """The parts of each row's score: the registry's, and each memory's voice (k x n)."""

    registry: Floats
    voices: Floats

    @property
    def memory(self) -> Floats:
        return np.asarray(self.voices.sum(axis=0))

    @property
    def score(self) -> Floats:
        return self.registry + self.memory


Rule = Callable[[Floats, Recall], Verdict]


def recall(board: Board, memories: tuple[MemoryEvidence, ...], *, doubt: float) -> Recall:
    found, expected = np.zeros((2, len(memories), len(board.ids)))
    for row, memory in enumerate(memories):
        found[row] = board.marked(memory.objects)
        if memory.expected is not None:
            expected[row] = board.column(Scores(ids=memory.expected.objects, values=memory.expected.scores))
    return Recall(memories=memories, found=found, expected=expected, doubt=doubt)


def registry_alone(r: Floats, memories: Recall) -> Verdict:
    """S0 and S1: no memory."""
    return Verdict(registry=r, voices=np.zeros_like(memories.found))


def memory_alone(r: Floats, memories: Recall) -> Verdict:
    """S2: Eq. 1 without the registry."""
    return Verdict(registry=np.zeros_like(r), voices=memories.of("share")[:, None] * memories.found)


def eq1(r: Floats, memories: Recall) -> Verdict:
    """S3: r(q, o) + alpha * the similarities of those among the nearest memories that found o."""
    return Verdict(registry=r, voices=memories.of("share")[:, None] * memories.found)


def naive(r: Floats, memories: Recall) -> Verdict:
    """S4: the objects of the nearest memory on top, the registry's order within and below; no parts to add up."""
    shares = memories.of("share")
    on_top = r
    if shares.max(initial=0.0) > 0:
        nearest = min(range(len(shares)), key=lambda row: (-shares[row], memories.memories[row].id))
        on_top = r + memories.found[nearest] * (1 + r.max(initial=0.0))
    return Verdict(registry=on_top, voices=np.zeros_like(memories.found))


def correct(r: Floats, memories: Recall) -> Verdict:
    """A memory adds what its question needed beyond what the registry gave it, and takes what that gave in vain."""
    reach = np.round(memories.of("reach"), 12)  # two stores, and two libraries, differ in the last bit of a power
    shares = reach / (reach.sum() + memories.doubt)
    voices = memories.trust * shares[:, None] * (memories.found - memories.expected)
    return Verdict(registry=r, voices=voices)


def lift_parts(board: Board, verdict: Verdict) -> Verdict:
    """Tables lifted to their best column take that column's parts; the table itself is kept where it ties with it."""
    score = np.round(verdict.score, 9)
    rows = np.arange(len(score))
    order = np.lexsort((rows, board.table != rows, -score, board.table))
    first = np.unique(board.table[order], return_index=True)[1]
    best = rows.copy()
    best[board.table[order[first]]] = order[first]
    return Verdict(registry=verdict.registry[best], voices=verdict.voices[:, best])
