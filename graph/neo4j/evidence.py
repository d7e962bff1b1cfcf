"""The evidence for a question in Neo4j: gathered and scored by the server in one query, whose record becomes values."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graph.evidence import (
    EXPECTED_LIMIT,
    FULL_SUPPORT,
    INTENT_LIMIT,
    LEXICAL_LIMIT,
    DiscoveryEvidence,
    Expectation,
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

INTENTS_KEPT = 100  # of many: the nearest, five times as many as an answer uses


class EvidenceQueries:
    """See `graph.evidence.EvidenceSource`."""

    connection: Connection

    def evidence(self, workspace: str, question: Question) -> DiscoveryEvidence:
        given = zip(question.intents.ids, question.intents.values, strict=True)
        lexical = {intent: value for intent, value in given if value > 0}
        kept = max(INTENTS_KEPT, 4 * (question.reach_limit + question.top_k))
        return self.connection.read_settled(
            "evidence",
            _evidence,
            workspace=workspace,
            objects=distinct(question.objects.ids),
            lexical=lexical,
            named=list(lexical)[:kept],
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
            reach_power=question.reach_power,
            reach_floor=question.reach_floor,
            reach_limit=question.reach_limit,
            today=None if question.today is None else day_number(question.today),
            idle_half_life=IDLE_HALF_LIFE_DAYS,
            full_support=FULL_SUPPORT,
            form=question.form,
            exact_limit=self.connection.exact_limit,
            object_candidates=max(question.vector_limit, LEXICAL_LIMIT),
            intent_candidates=INTENT_LIMIT,
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


def _evidence(row: Mapping[str, Any]) -> DiscoveryEvidence:
    return DiscoveryEvidence(
        stamp=stamp_of(row),
        cosines=scores_of(sorted(whole_pairs(row["cosines"]))),
        terms=scores_of(sorted(whole_pairs(row["terms"]))),
        memories=tuple(_memory_evidence(found) for found in row["memories"]),
        unembedded=row["unembedded"],
        trust=trust_of(row["trust"]),
    )


def _memory_evidence(row: Mapping[str, Any]) -> MemoryEvidence:
    check_whole(*(value for name, value in row.items() if name not in ("support", "expected", "vector")))
    check_whole(*row["objects"])
    if (row["support"] is None) != (row["expected"] is None):
        raise HalfRead
    return MemoryEvidence(
        id=row["id"],
        intent_id=row["intent_id"],
        intent=row["intent"],
        state=row["state"],
        similarity=row["similarity"],
        confidence=row["confidence"],
        weight=row["weight"],
        reach=row["reach"],
        share=row["share"],
        objects=tuple(sorted(row["objects"])),
        expected=None
        if row["expected"] is None
        else value_of(EXPECTED, row["expected"], memory=row["id"], support=row["support"]),
        vector=None if row["vector"] is None else np.array(row["vector"], dtype=np.float32),
    )
