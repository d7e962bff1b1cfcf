"""The evidence that `graph.evidence` promises, computed in plain Python from what a test wrote; no store is asked.

It follows the docstrings of `Question`, `MemoryEvidence` and `DiscoveryEvidence` word by word and is slow on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph.catalogue import DataObject
from graph.embeddings import FloatArray
from graph.evidence import Expectation, LatestMemory, MemoryEvidence, Question, Scores
from graph.memories import Memory
from kit.values.samples import scores


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a test wrote: vectors are by id and of the question's model, expectations current ones by memory id."""

    objects: Sequence[DataObject] = ()
    memories: Sequence[Memory] = ()
    object_vectors: Mapping[str, FloatArray] = field(default_factory=dict)
    intent_vectors: Mapping[str, FloatArray] = field(default_factory=dict)
    expectations: Mapping[str, Expectation] = field(default_factory=dict)

    @property
    def live(self) -> set[str]:
        return {each.id for each in self.objects if not each.gone}


def cosine(a: FloatArray, b: FloatArray) -> float:
    return round(sum(float(x) * float(y) for x, y in zip(a, b, strict=True)), 6)


def similarity(world: World, question: Question, memory: Memory) -> float:
    lexical = dict(zip(question.intents.ids, question.intents.values, strict=True)).get(memory.intent_id, 0.0)
    vector = world.intent_vectors.get(memory.intent_id)
    dense = max(0.0, cosine(question.vector, vector)) if question.vector is not None and vector is not None else None
    match question.similarity:
        case "lexical":
            return lexical
        case "neural":
            return dense or 0.0
        case "mean":
            return lexical if dense is None else (lexical + dense) / 2


def memories(world: World, question: Question) -> tuple[MemoryEvidence, ...]:
    """Who speaks: the nearest together with the nearest confirmed ones."""
    if not question.use_memory:
        return ()
    near = []
    for memory in world.memories:
        alike = similarity(world, question, memory)
        if alike <= 0 or memory.state == "refuted" or not set(memory.objects) <= world.live:
            continue
        expected = world.expectations.get(memory.id)
        confidence = (memory.successes + 1) / (memory.successes + memory.failures + 1)
        confidence *= 0.5 if memory.state == "proposed" else 1.0
        if question.today is not None:
            confidence *= 0.5 ** (max(0, (question.today - memory.last_used_at.date()).days) / 365)
        near.append(
            MemoryEvidence(
                id=memory.id,
                intent_id=memory.intent_id,
                intent=memory.intent,
                state=memory.state,
                similarity=alike,
                confidence=confidence,
                successes=memory.successes,
                failures=memory.failures,
                share=0.0,
                objects=memory.objects,
                expected=expected,
            )
        )
    ranked = sorted(near, key=lambda m: (-m.similarity, m.id))
    leading = {m.id for m in [m for m in ranked if m.state == "confirmed"][: question.top_k]}
    chosen = {m.id for m in ranked[: question.memory_limit]} | leading
    return tuple(
        replace(m, share=question.alpha * m.similarity if m.id in leading else 0.0) for m in ranked if m.id in chosen
    )


def latest(world: World, question: Question) -> tuple[LatestMemory, ...]:
    """The memories made last that count, the last first."""
    if not question.use_memory:
        return ()
    counting = [m for m in world.memories if m.state != "refuted" and set(m.objects) <= world.live]
    ranked = sorted(counting, key=lambda m: (-m.created_at.timestamp(), m.id))
    return tuple(
        LatestMemory(
            id=m.id, intent_id=m.intent_id, intent=m.intent, objects=m.objects, expected=world.expectations.get(m.id)
        )
        for m in ranked[: question.latest]
    )


def terms(spoken: Sequence[MemoryEvidence]) -> Scores:
    """Eq. 1's memory term by object, sorted by id."""
    sums: dict[str, float] = {}
    for memory in spoken:
        if memory.share > 0:
            for each in memory.objects:
                sums[each] = sums.get(each, 0.0) + memory.share
    ids = tuple(sorted(sums))
    return Scores(ids=ids, values=tuple(sums[i] for i in ids))


def cosines(world: World, question: Question, spoken: Sequence[MemoryEvidence]) -> Scores:
    """The nearest objects and, unless only they are asked for, the question's candidates and what the memories found,
    sorted by id."""
    if question.vector is None:
        return Scores()
    known = {i: cosine(question.vector, v) for i, v in world.object_vectors.items() if i in world.live}
    wanted = set(scores(known).ids[: question.vector_limit])
    if not question.nearest_only:
        wanted.update(question.objects.ids, *(m.objects for m in spoken))
    ids = tuple(sorted(wanted & set(known)))
    return Scores(ids=ids, values=tuple(known[i] for i in ids))


def unembedded(world: World, question: Question) -> int:
    return 0 if question.vector is None else len(world.live - set(world.object_vectors))
