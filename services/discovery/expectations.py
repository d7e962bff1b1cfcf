"""Expectations: what search without memory returns for a memory's own intent, and how much of it the memory found.

Made on demand and stored; the registry score itself is in `registry_score`.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from graph.evidence import (
    LEXICAL_LIMIT,
    EvidenceSource,
    Expectation,
    LatestMemory,
    MemoryEvidence,
    Question,
    Scores,
)
from graph.memories import Memory
from services.best_effort import best_effort
from services.catalogue_index import CatalogueIndex
from services.discovery.candidates import Floats, collect_candidates
from services.discovery.intent_vectors import IntentVectors
from services.discovery.registry_score import blend
from services.lexical.weights import best

FORM = "blend/1"
NOTHING_EXPECTED = Expectation(memory="", objects=(), scores=(), support=1.0)


def form_of(model: str | None) -> str:
    """The name of the registry score that expectations are made with, over this model; None: words alone."""
    return f"{FORM} {model or 'words'}"


def expect(
    catalogue: CatalogueIndex,
    *,
    memory: str,
    intent: str,
    objects: Sequence[str],
    lexical: Scores,
    cosines: Scores | None,
) -> Expectation:
    """The expectation of one memory, from its intent's lexical candidates and nearest objects."""
    named = catalogue.named(intent)
    candidates = collect_candidates(catalogue, (*lexical.ids, *(cosines.ids if cosines else ()), *named))
    parts = [candidates.column(lexical)] + ([candidates.column(cosines)] if cosines else [])
    scores = blend(candidates, parts, named=named)
    rows = [row for row in np.argsort(-scores, kind="stable")[:LEXICAL_LIMIT] if scores[row] > 0]
    expected = {candidates.ids[row]: float(scores[row]) for row in rows}
    return Expectation(
        memory=memory,
        objects=tuple(expected),
        scores=tuple(expected.values()),
        support=support(scores[rows], np.array([expected.get(item, 0.0) for item in objects])),
    )


def support(best: Floats, found: Floats) -> float:
    """The found objects' mean score over the best mean that as many objects can have, within 0 and 1; 1 where the
    registry finds nothing for the intent."""
    possible = best[: len(found)].sum()
    return float(min(1.0, found.sum() / possible)) if possible > 0 else 1.0


class Expectations:
    """Compute and store expectations; without state."""

    def __init__(self, store: EvidenceSource, vectors: IntentVectors) -> None:
        self._store = store
        self._vectors = vectors

    def make(
        self,
        workspace: str,
        catalogue: CatalogueIndex,
        memories: Iterable[MemoryEvidence | LatestMemory | Memory],
        *,
        model: str | None,
        keep: bool,
    ) -> dict[str, Expectation]:
        """Compute the expectations of these memories for this state of the catalogue, and store them if `keep`.

        Returns them by memory. Storing is best effort. Raises `EncoderUnavailable` where an intent cannot be encoded.
        """
        todo = list(memories)
        if not todo:
            return {}
        intents = {memory.intent_id: memory.intent for memory in todo}
        cosines = self._cosines(workspace, intents, model=model) if model else {}
        words = catalogue.cosines("text", "grams")
        lexical = {key: best(words.index, words.scores(text), limit=LEXICAL_LIMIT) for key, text in intents.items()}
        made = [
            expect(
                catalogue,
                memory=memory.id,
                intent=memory.intent,
                objects=memory.objects,
                lexical=lexical[memory.intent_id],
                cosines=cosines.get(memory.intent_id, Scores()) if model else None,
            )
            for memory in todo
        ]
        if keep:
            with best_effort("storing expectations"):  # this answer has them; the next question computes them again
                self._store.save_expectations(workspace, made, stamp=catalogue.stamp, form=form_of(model))
        return {expectation.memory: expectation for expectation in made}

    def _cosines(self, workspace: str, intents: dict[str, str], *, model: str) -> dict[str, Scores]:
        """By intent; one without an embedding is encoded here, as expectations must not depend on when."""
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
