"""Gather the evidence for one question: one read where all is current, a few bounded ones where it is not.

Two things may have to catch up: the index of the catalogue (after a write) and expectations (after the catalogue
changed).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

from graph.catalogue import ObjectKind
from graph.embeddings import EmbeddingStore, FloatArray
from graph.evidence import (
    EXACT_LIMIT,
    INTENT_LIMIT,
    LEXICAL_LIMIT,
    DiscoveryEvidence,
    EvidenceSource,
    LatestMemory,
    MemoryEvidence,
    Question,
    Scores,
)
from services.catalogue_index import MOST_RESULTS, CatalogueIndex, CatalogueIndexes, Field
from services.discovery.arms import DiscoveryArm
from services.discovery.credit import LATEST, Credits
from services.discovery.expectations import Expectations, form_of
from services.discovery.intent_vectors import VectorCache
from services.lexical.index import Index
from services.lexical.weights import Floats, best

MOST_CATCH_UPS = 5  # under steady writing the index lags by a moment at worst, and the answer is given


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inquiry:
    """One checked question. `vector` None: words alone; `missing` says why, where an answer should."""

    workspace: str
    intent: str
    arm: DiscoveryArm
    vector: FloatArray | None
    missing: str | None
    model: str | None
    use_memory: bool
    limit: int
    kinds: Collection[ObjectKind] | None
    may_write: bool
    today: date

    @property
    def breadth(self) -> int:
        """How many objects the retriever ranks; the blend counts LEXICAL_LIMIT, as its formula says."""
        wanted = self.limit if self.kinds is None else MOST_RESULTS
        return LEXICAL_LIMIT if self.arm.blends else max(LEXICAL_LIMIT, wanted)

    @property
    def recalls(self) -> bool:
        return self.use_memory and self.arm.rule.needs != "nothing"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gathered:
    """A question's evidence, the catalogue index it goes with, the lexical scores, and the memories that count.

    `credit` is how far the registry is believed, within 0 and 1 (`services.discovery.credit`).
    `object_vectors` are the embeddings of the candidates, by id, for a rule that compares objects by them."""

    catalogue: CatalogueIndex
    evidence: DiscoveryEvidence
    lexical: Lexical
    memories: tuple[MemoryEvidence, ...]
    credit: float = 1.0
    object_vectors: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def found(self) -> tuple[str, ...]:
        """What the memories found, in their order."""
        return tuple(item for memory in self.memories for item in memory.objects)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexical:
    """The lexical score of every object, by slot of `index`, and the best of them."""

    index: Index
    scores: Floats
    best: Scores

    def of(self, items: Iterable[str]) -> Scores:
        """The scores of these objects."""
        known = [item for item in items if item in self.index.slot_of]
        return Scores(ids=tuple(known), values=tuple(float(self.scores[self.index.slot_of[item]]) for item in known))


class GatheringStore(EvidenceSource, EmbeddingStore, Protocol):
    """The ports that gathering reads."""


class Gathering:
    """Reads the store on behalf of an inquiry."""

    def __init__(self, store: GatheringStore, indexes: CatalogueIndexes, expectations: Expectations) -> None:
        self._store = store
        self._indexes = indexes
        self._expectations = expectations
        # Of stored intents, by incarnation and id: to read them over a network costs as much as the rest of a question.
        self._vectors: VectorCache[tuple[str, str]] = VectorCache()
        self._credits = Credits()

    def gather(self, inquiry: Inquiry) -> Gathered:
        """Gather the evidence for an inquiry. Raises what the store raises, and `EncoderUnavailable`."""
        catalogue = self._indexes.held(inquiry.workspace)
        for _ in range(MOST_CATCH_UPS):
            gathered = self._ask(inquiry, catalogue)
            if gathered.evidence.stamp == catalogue.stamp:
                break
            catalogue = self._indexes.at(inquiry.workspace, gathered.evidence.stamp)
        if inquiry.recalls and inquiry.arm.rule.needs == "object_similarities" and inquiry.arm.retriever == "neural":
            return replace(gathered, object_vectors=self._object_vectors(inquiry, gathered))
        return gathered

    def _object_vectors(self, inquiry: Inquiry, gathered: Gathered) -> dict[str, FloatArray]:
        asked = {*gathered.evidence.cosines.ids, *gathered.found} & gathered.catalogue.objects.keys()
        found = self._store.show_embeddings(inquiry.workspace, sorted(asked), of="objects")
        return {
            item: vector
            for embeddings in found
            if embeddings.model == inquiry.model
            for item, vector in zip(embeddings.ids, embeddings.matrix, strict=True)
        }

    def _ask(self, inquiry: Inquiry, catalogue: CatalogueIndex) -> Gathered:
        lexical = _lexical(catalogue, inquiry)
        question = _question(catalogue, inquiry, lexical.best)
        held: dict[str, FloatArray] = {}
        expects = inquiry.recalls and inquiry.arm.rule.expects
        known = self._credits.known(catalogue.stamp, question.form)
        if expects:
            question = replace(question, latest=LATEST, held_latest=tuple(known))
        if question.model is not None and expects:
            likely = [(catalogue.stamp.incarnation, intent) for intent in question.intents.ids[:INTENT_LIMIT]]
            held = {intent: vector for (_, intent), vector in self._vectors.get(likely).items()}
            question = replace(question, held_vectors=tuple(held))
        evidence = self._store.evidence(inquiry.workspace, question)
        memories, credit = evidence.memories, 1.0
        if expects and evidence.stamp == catalogue.stamp:
            memories, learned = self._settle(inquiry, question, evidence, catalogue=catalogue)
            credit = self._credits.of(
                evidence.stamp, question.form, latest=evidence.latest, held=known, learned=learned
            )
            least = credit * inquiry.arm.values(encoded=inquiry.vector is not None)["floor"]
            memories = tuple(memory for memory in memories if memory.similarity > least)
        incarnation = evidence.stamp.incarnation
        self._vectors.put({(incarnation, m.intent_id): m.vector for m in memories if m.vector is not None})
        memories = tuple(replace(m, vector=held[m.intent_id]) if m.intent_id in held else m for m in memories)
        return Gathered(catalogue=catalogue, evidence=evidence, lexical=lexical, memories=memories, credit=credit)

    def _settle(
        self, inquiry: Inquiry, question: Question, evidence: DiscoveryEvidence, *, catalogue: CatalogueIndex
    ) -> tuple[tuple[MemoryEvidence, ...], tuple[LatestMemory, ...]]:
        """The memories, near ones and latest, each with its expectation. Usually all of these are current."""
        read: tuple[MemoryEvidence | LatestMemory, ...] = (*evidence.memories, *evidence.learned)
        lacking = {it.id: it for it in read if it.expected is None}
        made = self._expectations.make(
            inquiry.workspace, catalogue, lacking.values(), model=question.model, keep=inquiry.may_write
        )
        return (
            tuple(replace(it, expected=made[it.id]) if it.id in made else it for it in evidence.memories),
            tuple(replace(it, expected=made[it.id]) if it.id in made else it for it in evidence.learned),
        )


def _question(catalogue: CatalogueIndex, inquiry: Inquiry, candidates: Scores) -> Question:
    arm, encoded = inquiry.arm, inquiry.vector is not None
    reach = arm.reach(encoded=encoded)
    model = inquiry.model if encoded else None
    # The blend counts the nearest cosines alone, and corrections do not use Eq. 1's memories: 8 ms of 27 on Neo4j.
    named = (
        Scores() if arm.blends else Scores(ids=candidates.ids[:LEXICAL_LIMIT], values=candidates.values[:LEXICAL_LIMIT])
    )
    return Question(
        objects=named,
        intents=_similar_intents(catalogue, inquiry) if inquiry.recalls else Scores(),
        vector=inquiry.vector,
        model=model,
        similarity=arm.similarity(encoded=encoded),
        use_memory=inquiry.recalls,
        vector_limit=inquiry.breadth,
        nearest_only=arm.blends,
        top_k=reach.nearest,
        alpha=reach.alpha,
        memory_limit=reach.limit,
        form=form_of(model),
        today=inquiry.today,
    )


def _lexical(catalogue: CatalogueIndex, inquiry: Inquiry) -> Lexical:
    arm = inquiry.arm
    texts: Field = "name" if arm.rule.name == "names" else "text"
    weights = catalogue.bm25(texts) if arm.retriever == "bm25" else catalogue.cosines(texts, arm.unit)
    scores = weights.scores(inquiry.intent)
    kinds = None if arm.blends else inquiry.kinds
    keep = None if kinds is None else lambda item: catalogue.objects[item].kind in kinds
    found = best(weights.index, scores, limit=inquiry.breadth, keep=keep)
    return Lexical(index=weights.index, scores=scores, best=found)


def _similar_intents(catalogue: CatalogueIndex, inquiry: Inquiry) -> Scores:
    cosines = catalogue.cosines("intent", inquiry.arm.intent_unit)
    limit = EXACT_LIMIT if cosines.index.size <= EXACT_LIMIT else INTENT_LIMIT
    return best(cosines.index, cosines.scores(inquiry.intent), limit=limit)
