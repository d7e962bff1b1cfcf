"""The evidence for a question in Neo4j: gathered and scored by the server in one query, whose record becomes values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph.evidence import (
    EXPECTED_LIMIT,
    LEXICAL_LIMIT,
    DiscoveryEvidence,
    Expectation,
    LatestMemory,
    MemoryEvidence,
    Question,
    Scores,
)
from graph.memories import IDLE_HALF_LIFE_DAYS, day_number
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import (
    EXPECTED,
    HalfRead,
    check_whole,
    distinct,
    scores_of,
    stamp_of,
    text_of,
    trust_of,
    value_of,
    whole_pairs,
)
from graph.workspaces import Stamp

DEPTHS = ((500, 400), (1_000, 1_000))
"""How many of many intents are asked of the index, and how many are scored: more where these do not show that no nearer
memory is left out."""
MOST_SCORED = 20_000  # intents that are all scored where neither shows it


class EvidenceQueries:
    """See `graph.evidence.EvidenceSource`."""

    connection: Connection

    def evidence(self, workspace: str, question: Question) -> DiscoveryEvidence:
        for candidates, kept in DEPTHS:
            outside, found = self._evidence(workspace, question, candidates=candidates, kept=kept)
            if _holds(found, question, outside=outside):
                return found
        outside, found = self._evidence(workspace, question, candidates=candidates, kept=kept, exact=MOST_SCORED)
        return found if _holds(found, question, outside=outside) else replace(found, partial=True)

    def _evidence(
        self, workspace: str, question: Question, *, candidates: int, kept: int, exact: int | None = None
    ) -> tuple[float, DiscoveryEvidence]:
        given = zip(question.intents.ids, question.intents.values, strict=True)
        return self.connection.read_settled(
            "evidence",
            lambda row: (row["outside"], _evidence(row)),
            workspace=workspace,
            objects=distinct(question.objects.ids),
            lexical={intent: value for intent, value in given if value > 0},
            similarity=question.similarity,
            vector=None
            if question.vector is None or question.model is None
            else self.connection.vector(question.vector),
            model=question.model,
            use_memory=question.use_memory,
            vector_limit=question.vector_limit,
            nearest_only=question.nearest_only,
            held_vectors=None if question.held_vectors is None else list(question.held_vectors),
            top_k=question.top_k,
            alpha=question.alpha,
            memory_limit=question.memory_limit,
            latest=question.latest,
            held_latest=list(question.held_latest),
            today=None if question.today is None else day_number(question.today),
            idle_half_life=IDLE_HALF_LIFE_DAYS,
            form=question.form,
            exact_limit=self.connection.exact_limit,
            exact_intents=exact or self.connection.exact_limit,
            object_candidates=max(question.vector_limit, LEXICAL_LIMIT),
            intent_candidates=candidates,
            intents_kept=kept,
        )

    def nearest_objects(
        self, workspace: str, intents: Sequence[str], *, model: str, limit: int = 50
    ) -> dict[str, Scores]:
        found = self.connection.read(
            "nearest_objects",
            lambda row: {intent: scores_of(best) for intent, best in row["nearest"]},
            workspace=workspace,
            intents=distinct(intents),
            model=model,
            limit=limit,
            candidates=max(limit, LEXICAL_LIMIT),
            exact_limit=self.connection.exact_limit,
        )
        return {intent: found[intent] for intent in dict.fromkeys(intents) if intent in found}

    def save_expectations(
        self, workspace: str, expectations: Sequence[Expectation], *, stamp: Stamp, form: str
    ) -> None:
        rows = [
            {
                "memory": e.memory,
                "objects": list(e.objects[:EXPECTED_LIMIT]),
                "scores": list(e.scores[:EXPECTED_LIMIT]),
                "support": e.support,
                "packed": text_of(EXPECTED, e),
            }
            for e in expectations
        ]

        def save(run: Run) -> None:
            for batch in self.connection.batches(rows):
                run(
                    "save_expectations",
                    workspace=workspace,
                    incarnation=stamp.incarnation,
                    catalogue_version=stamp.catalogue_version,
                    form=form,
                    rows=batch,
                )

        self.connection.transact(save, mode="write", asked="save_expectations")


def _holds(found: DiscoveryEvidence, question: Question, *, outside: float) -> bool:
    """True if no memory that was not looked at can be among those that the question asks for."""
    nearest = [memory.similarity for memory in found.memories]
    leading = [memory.similarity for memory in found.memories if memory.state == "confirmed"]
    asked = ((nearest, question.memory_limit), (leading, question.top_k))
    return outside <= 0 or all(near[limit - 1 : limit] > [outside] for near, limit in asked if limit)


def _evidence(row: Mapping[str, Any]) -> DiscoveryEvidence:
    return DiscoveryEvidence(
        stamp=stamp_of(row),
        cosines=scores_of(sorted(whole_pairs(row["cosines"]))),
        terms=scores_of(sorted(whole_pairs(row["terms"]))),
        memories=tuple(_memory_evidence(found) for found in row["memories"]),
        latest=tuple(found["id"] for found in row["latest"]),
        learned=tuple(_learned(found) for found in row["latest"] if found["intent_id"] is not None),
        unembedded=row["unembedded"],
        trust=trust_of(row["trust"]),
    )


def _memory_evidence(row: Mapping[str, Any]) -> MemoryEvidence:
    check_whole(*(value for name, value in row.items() if name not in ("support", "expected", "vector")))
    check_whole(*row["objects"])
    return MemoryEvidence(
        id=row["id"],
        intent_id=row["intent_id"],
        intent=row["intent"],
        state=row["state"],
        similarity=row["similarity"],
        confidence=row["confidence"],
        successes=row["successes"],
        failures=row["failures"],
        share=row["share"],
        objects=tuple(sorted(row["objects"])),
        expected=_expectation(row),
        vector=None if row["vector"] is None else np.array(row["vector"], dtype=np.float32),
    )


def _learned(row: Mapping[str, Any]) -> LatestMemory:
    check_whole(row["id"], row["intent"], row["objects"])
    return LatestMemory(
        id=row["id"],
        intent_id=row["intent_id"],
        intent=row["intent"],
        objects=tuple(sorted(row["objects"])),
        expected=_expectation(row),
    )


def _expectation(row: Mapping[str, Any]) -> Expectation | None:
    if (row["support"] is None) != (row["expected"] is None):
        raise HalfRead
    if row["expected"] is None:
        return None
    return value_of(EXPECTED, row["expected"], memory=row["id"], support=row["support"])
