"""Gathers the evidence for one question: one read where all is current, a few bounded ones where it is not.

Two things may have to be caught up: the registry (somebody wrote) and expectations (the catalogue moved).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from graph.catalogue import ObjectKind
from graph.embeddings import FloatArray
from graph.evidence import (
    EXACT_LIMIT,
    INTENT_LIMIT,
    LEXICAL_LIMIT,
    DiscoveryEvidence,
    Expectation,
    MemoryEvidence,
    Question,
    Scores,
)
from graph.store import Store
from services.catalogue_index import MOST_RESULTS, CatalogueIndex, CatalogueIndexes, Field
from services.discovery.arms import PARAMETERS, DiscoveryArm
from services.discovery.expectations import Expectations, form_of, with_expectation
from services.lexical.index import Index
from services.lexical.weights import Floats, best

MOST_CATCH_UPS = 5  # under steady writing the registry is a moment behind at worst, and the answer goes out
MOST_REACHED = 160  # memories whose expectations one answer makes at most


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inquiry:
    """One question as it came; `vector` None: words alone."""

    workspace: str
    intent: str
    plan: DiscoveryArm
    vector: FloatArray | None
    model: str | None
    use_memory: bool
    limit: int
    kinds: Collection[ObjectKind] | None
    may_write: bool
    today: date

    @property
    def breadth(self) -> int:
        """How many objects a plain retriever ranks; the blend counts as many as its formula says."""
        wanted = self.limit if self.kinds is None else MOST_RESULTS
        return LEXICAL_LIMIT if self.plan.blends else max(LEXICAL_LIMIT, wanted)

    @property
    def recalls(self) -> bool:
        return self.use_memory and self.plan.needs != "nothing"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gathered:
    """A question's evidence, the registry it goes with, the lexical scores by slot, and the memories that count."""

    registry: CatalogueIndex
    evidence: DiscoveryEvidence
    lexical: Lexical
    memories: tuple[MemoryEvidence, ...]


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


class Gathering:
    """Asks the store on behalf of an inquiry."""

    def __init__(self, store: Store, registries: CatalogueIndexes, expectations: Expectations) -> None:
        self._store = store
        self._registries = registries
        self._expectations = expectations

    def gather(self, inquiry: Inquiry) -> Gathered:
        registry = self._registries.held(inquiry.workspace)
        for _ in range(MOST_CATCH_UPS):
            gathered = self._ask(inquiry, registry)
            if gathered.evidence.stamp == registry.stamp:
                break
            registry = self._registries.at(inquiry.workspace, gathered.evidence.stamp)
        return gathered

    def _ask(self, inquiry: Inquiry, registry: CatalogueIndex) -> Gathered:
        lexical = _lexical(registry, inquiry)
        question = _question(registry, inquiry, lexical.best)
        evidence = self._store.evidence(inquiry.workspace, question)
        memories = evidence.memories
        if inquiry.recalls and inquiry.plan.expects:
            evidence, memories = self._settle(inquiry, question, evidence, registry=registry)
        return Gathered(registry=registry, evidence=evidence, lexical=lexical, memories=memories)

    def _settle(
        self, inquiry: Inquiry, question: Question, evidence: DiscoveryEvidence, *, registry: CatalogueIndex
    ) -> tuple[DiscoveryEvidence, tuple[MemoryEvidence, ...]]:
        """The memories that reach farthest once each has its expectation.

        One without is shown as if it weighed fully, so what its expectation takes from it may let in others, which
        are then asked for. Where all are current nothing is asked again: that is the rule, this the exception.
        """
        count = question.reach_limit
        made: dict[str, Expectation] = {}
        while evidence.stamp == registry.stamp:
            shown = _farthest(evidence.memories, question.reach_limit)
            new = [memory for memory in shown if memory.expected is None and memory.id not in made]
            made |= self._expectations.make(
                inquiry.workspace, registry, new, model=question.model, keep=inquiry.may_write
            )
            settled = _farthest([with_expectation(m, made.get(m.id), question=question) for m in shown], count)
            unseen = shown[-1].reach if len(shown) == question.reach_limit else 0.0
            least = settled[-1].reach if len(settled) == count else 0.0
            if not made or unseen == 0 or least > unseen or question.reach_limit >= MOST_REACHED:
                return evidence, settled
            question = replace(question, reach_limit=question.reach_limit * 4)
            evidence = self._store.evidence(inquiry.workspace, question)
        return evidence, _farthest(evidence.memories, count)


def _farthest(memories: Sequence[MemoryEvidence], count: int) -> tuple[MemoryEvidence, ...]:
    reaching = [memory for memory in memories if memory.reach > 0]
    return tuple(sorted(reaching, key=lambda memory: (-round(memory.reach, 12), -memory.similarity, memory.id))[:count])


def _question(registry: CatalogueIndex, inquiry: Inquiry, candidates: Scores) -> Question:
    plan, encoded = inquiry.plan, inquiry.vector is not None
    reach = plan.reach(encoded=encoded)
    model = inquiry.model if encoded else None
    # The blend counts the nearest cosines alone, and what corrects has no use for Eq. 1's leaders: 8 ms of 27 on Neo4j.
    named = (
        Scores()
        if plan.blends
        else Scores(ids=candidates.ids[:LEXICAL_LIMIT], values=candidates.values[:LEXICAL_LIMIT])
    )
    return Question(
        objects=named,
        intents=_similar_intents(registry, inquiry) if inquiry.recalls else Scores(),
        vector=inquiry.vector,
        model=model,
        similarity=plan.similarity(encoded=encoded),
        use_memory=inquiry.recalls,
        vector_limit=inquiry.breadth,
        nearest_only=plan.blends,
        **_equation_one(plan, encoded=encoded),
        reach_power=reach.power,
        reach_floor=reach.floor,
        reach_limit=reach.limit,
        form=form_of(model),
        today=inquiry.today,
    )


def _least_that_reaches(inquiry: Inquiry) -> float:
    """An intent no more alike than this reaches nothing, where words alone say how alike it is."""
    plan, encoded = inquiry.plan, inquiry.vector is not None
    alone = plan.expects and plan.similarity(encoded=encoded) == "lexical"
    return plan.reach(encoded=encoded).floor if alone else 0.0


def _equation_one(plan: DiscoveryArm, *, encoded: bool) -> dict[str, Any]:
    """The parameters of Eq. 1, where the rule has its own."""
    own = PARAMETERS[plan.base]
    if plan.expects:
        return {"top_k": 0}
    if plan.base not in ("memory", "eq1", "rocchio"):
        return {}
    found: dict[str, Any] = {"top_k": int(plan.parameter("k", encoded=encoded))}
    return found | ({"alpha": plan.parameter("alpha", encoded=encoded)} if "alpha" in own else {})


def _lexical(registry: CatalogueIndex, inquiry: Inquiry) -> Lexical:
    plan = inquiry.plan
    field: Field = "name" if plan.base == "names" else "text"
    weights = registry.bm25(field) if plan.retriever == "bm25" else registry.cosines(field, plan.unit)
    scores = weights.scores(inquiry.intent)
    kinds = None if plan.blends else inquiry.kinds
    keep = None if kinds is None else lambda item: registry.objects[item].kind in kinds
    found = best(weights.index, scores, limit=inquiry.breadth, keep=keep)
    return Lexical(index=weights.index, scores=scores, best=found)


def _similar_intents(registry: CatalogueIndex, inquiry: Inquiry) -> Scores:
    cosines = registry.cosines("intent", inquiry.plan.intent_unit)
    limit = EXACT_LIMIT if cosines.index.size <= EXACT_LIMIT else INTENT_LIMIT
    return best(cosines.index, cosines.scores(inquiry.intent), limit=limit, above=_least_that_reaches(inquiry))
