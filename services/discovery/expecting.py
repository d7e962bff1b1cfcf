"""Expectations: what the registry alone gives a memory's own intent, and how far it would have found its objects.

The arithmetic of one expectation, and of what it makes of a memory's weight; asking the store is not done here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graph.evidence import LEXICAL_LIMIT, Expectation, MemoryEvidence, Question, Scores
from services.discovery.blending import blend
from services.discovery.board import Floats, lay_out
from services.registry import Registry

FULL_SUPPORT = 0.5  # a memory whose support reaches this weighs fully; below, by the square of the shortfall
FORM = "blend/1"


def form_of(model: str | None) -> str:
    """The name of the registry score that expectations are made with: B as it is built here, over this model."""
    return f"{FORM} {model or 'words'}"


def expect(
    registry: Registry,
    *,
    memory: str,
    intent: str,
    objects: Sequence[str],
    lexical: Scores,
    cosines: Scores | None,
) -> Expectation:
    """The expectation of one memory, from its intent's lexical candidates and nearest objects."""
    named = registry.named(intent)
    board = lay_out(registry, (*lexical.ids, *(cosines.ids if cosines else ()), *named))
    parts = [board.column(lexical)] + ([board.column(cosines)] if cosines else [])
    scores = blend(board, parts, named=named)
    rows = [row for row in np.argsort(-scores, kind="stable")[:LEXICAL_LIMIT] if scores[row] > 0]
    expected = {board.ids[row]: float(scores[row]) for row in rows}
    return Expectation(
        memory=memory,
        objects=tuple(expected),
        scores=tuple(expected.values()),
        support=support(scores[rows], np.array([expected.get(item, 0.0) for item in objects])),
    )


def support(best: Floats, found: Floats) -> float:
    """The found objects' mean score over the best mean that as many objects can have, within 0 and 1.

    It is 1 where the registry has nothing to say on the intent: what knows nothing speaks against no memory.
    """
    possible = best[: len(found)].sum()
    return float(min(1.0, found.sum() / possible)) if possible > 0 else 1.0


def weight_of(expectation: Expectation) -> float:
    return min(1.0, expectation.support / FULL_SUPPORT) ** 2


def expected_by(memory: MemoryEvidence, made: Expectation | None, *, question: Question) -> MemoryEvidence:
    """The memory as the store would show it once `made` is kept."""
    if made is None or memory.expected is not None:
        return memory
    weight = weight_of(made)
    nearness = max(0.0, (memory.similarity - question.reach_floor) / (1 - question.reach_floor))
    reach = nearness**question.reach_power * weight * memory.confidence
    return replace(memory, expected=made, weight=weight, reach=reach)
