"""Makes the expectations that memories lack, and keeps them in the store where the caller may write.

It asks the store for the objects nearest to the memories' intents, all intents of a batch at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from graph.errors import RetinueError
from graph.evidence import LEXICAL_LIMIT, Expectation, MemoryEvidence, Question, Scores
from graph.memories import Memory
from graph.store import Store
from services.discovery.expecting import expect, form_of
from services.discovery.vectors import IntentVectors
from services.lexical.weights import best
from services.registry import Registry


class Expectations:
    """Makes and keeps expectations; holds no state of its own."""

    def __init__(self, store: Store, vectors: IntentVectors) -> None:
        self._store = store
        self._vectors = vectors

    def make(
        self,
        workspace: str,
        registry: Registry,
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
            with suppress(RetinueError):  # the answer has them already; who asks next makes them again
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
