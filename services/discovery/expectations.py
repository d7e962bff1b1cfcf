"""Expectations: what search without memory returns for a memory's own intent, and how much of it the memory found.

Made on demand and stored; the registry score itself is in `registry_score`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from graph.evidence import LEXICAL_LIMIT, Expectation, MemoryEvidence, Question, Scores
from graph.memories import Memory
from graph.store import Store
from services.best_effort import best_effort
from services.catalogue_index import CatalogueIndex
from services.discovery.candidates import Floats, collect_candidates
from services.discovery.intent_vectors import IntentVectors
from services.discovery.registry_score import blend
from services.lexical.weights import best

FULL_SUPPORT = 0.5  # a memory whose support reaches this weighs fully; below, by the square of the shortfall
FORM = "blend/1"


def form_of(model: str | None) -> str:
    """The name of the registry score that expectations are made with: B as it is built here, over this model."""
    return f"{FORM} {model or 'words'}"


def expect(
    registry: CatalogueIndex,
    *,
    memory: str,
    intent: str,
    objects: Sequence[str],
    lexical: Scores,
    cosines: Scores | None,
) -> Expectation:
    """The expectation of one memory, from its intent's lexical candidates and nearest objects."""
    named = registry.named(intent)
    board = collect_candidates(registry, (*lexical.ids, *(cosines.ids if cosines else ()), *named))
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


def with_expectation(memory: MemoryEvidence, made: Expectation | None, *, question: Question) -> MemoryEvidence:
    """The memory as the store would show it once `made` is kept."""
    if made is None or memory.expected is not None:
        return memory
    weight = weight_of(made)
    nearness = max(0.0, (memory.similarity - question.reach_floor) / (1 - question.reach_floor))
    reach = nearness**question.reach_power * weight * memory.confidence
    return replace(memory, expected=made, weight=weight, reach=reach)


class Expectations:
    """Makes and keeps expectations; holds no state of its own."""

    def __init__(self, store: Store, vectors: IntentVectors) -> None:
        self._store = store
        self._vectors = vectors

    def make(
        self,
        workspace: str,
        registry: CatalogueIndex,
        memories: Iterable[MemoryEvidence | Memory],
        *,
        model: str | None,
        keep: bool,
    ) -> dict[str, Expectation]:
        """The expectations of these memories, by memory, for the catalogue as `registry` holds it."""
        todo = list(memories)
        if not todo:
            return {}
        intents = {memory.intent_id: memory.intent for memory in todo}
        cosines = self._cosines(workspace, intents, model=model) if model else {}
        words = registry.cosines("text", "grams")
        lexical = {key: best(words.index, words.scores(text), limit=LEXICAL_LIMIT) for key, text in intents.items()}
        made = [
            expect(
                registry,
                memory=memory.id,
                intent=memory.intent,
                objects=memory.objects,
                lexical=lexical[memory.intent_id],
                cosines=cosines.get(memory.intent_id, Scores()) if model else None,
            )
            for memory in todo
        ]
        if keep:
            with best_effort("keeping expectations"):  # the answer has them already, and the next one makes them again
                self._store.save_expectations(workspace, made, stamp=registry.stamp, form=form_of(model))
        return {expectation.memory: expectation for expectation in made}

    def _cosines(self, workspace: str, intents: dict[str, str], *, model: str) -> dict[str, Scores]:
        """By intent. One without an embedding is encoded here: what is expected must not depend on when it was."""
        found = self._store.nearest_objects(workspace, tuple(intents), model=model, limit=LEXICAL_LIMIT)
        without = tuple(intent for intent in intents if intent not in found)
        return found | self._ask(workspace, without, tuple(intents[key] for key in without), model=model)

    def _ask(self, workspace: str, keys: Sequence[str], texts: tuple[str, ...], *, model: str) -> dict[str, Scores]:
        if not keys:
            return {}
        found = {}
        for key, vector in zip(keys, self._vectors.vectors(texts), strict=True):
            question = Question(vector=vector, model=model, use_memory=False)
            cosines = self._store.evidence(workspace, question).cosines
            ranked = sorted(
                (-value, item) for item, value in zip(cosines.ids, cosines.values, strict=True) if value > 0
            )
            found[key] = Scores(ids=tuple(item for _, item in ranked), values=tuple(-value for value, _ in ranked))
        return found
