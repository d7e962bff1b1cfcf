"""What discovery reads of Neo4j and keeps in it: evidence, changes, expectations, embeddings, records.

The evidence is gathered and scored by the server, in one query; here its one record becomes values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

import numpy as np

from graph.catalogue import DataObject
from graph.changes import Changes, Listing
from graph.embeddings import Embeddings
from graph.errors import NotFound
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
from graph.explore import Neighbourhood, Node, Relationship
from graph.feedback import Discovery, Trust
from graph.memories import IDLE_HALF_LIFE_DAYS, day_number
from graph.neo4j.connection import SETTLING_SECONDS, SETTLING_TRIES, Connection, Run
from graph.neo4j.mapping import (
    EXPECTED,
    HalfRead,
    batches,
    check_stored_width,
    check_whole,
    discovery_of,
    distinct,
    embedding_rows,
    instant,
    object_of,
    scores_of,
    sort_key,
    stamp_of,
    text_of,
    trust_of,
    value_of,
    whole_pairs,
)
from graph.neo4j.workspaces import one
from graph.plain import TRIAL
from graph.workspaces import Stamp

T = TypeVar("T")

WRITE_BATCH = 1_000
INTENTS_KEPT = 100  # of many: the nearest, five times as many as an answer reaches for

_LABELS = {"table": ("DataObject", "Table"), "attribute": ("DataObject", "Attribute")}
_FIELDS = ("id", "kind", "name", "description", "table", "data_type", "source", "gone", "folded")


class DiscoveryQueries:
    """Evidence, changes, embeddings, feedback and exploring: the ports of these names in `graph/`."""

    connection: Connection

    def evidence(self, workspace: str, question: Question) -> DiscoveryEvidence:
        given = zip(question.intents.ids, question.intents.values, strict=True)
        lexical = {intent: value for intent, value in given if value > 0}
        kept = max(INTENTS_KEPT, 4 * (question.reach_limit + question.top_k))
        return self._settled(
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
            form=question.form,
            exact_limit=EXACT_LIMIT,
            object_candidates=max(question.vector_limit, LEXICAL_LIMIT),
            intent_candidates=INTENT_LIMIT,
            intents_kept=kept,
        )

    def changes(self, workspace: str, *, since: int) -> Changes:
        return self._settled("changes", _changes, workspace=workspace, since=since)

    def list_ids(self, workspace: str) -> Listing:
        return self._settled("list_ids", _listing, workspace=workspace)

    def nearest_objects(
        self, workspace: str, intents: Sequence[str], *, model: str, limit: int = 50
    ) -> dict[str, Scores]:
        found = self.connection.read(
            "nearest_objects",
            lambda rows: {intent: scores_of(best) for intent, best in one(rows, workspace)["nearest"]},
            workspace=workspace,
            intents=distinct(intents),
            model=model,
            limit=limit,
            candidates=max(limit, LEXICAL_LIMIT),
            exact_limit=EXACT_LIMIT,
        )
        return {intent: found[intent] for intent in dict.fromkeys(intents) if intent in found}

    def save_expectations(
        self, workspace: str, expectations: Sequence[Expectation], *, stamp: Stamp, form: str
    ) -> None:
        rows = [
            {
                "memory": e.memory,
                "objects": list(e.objects),
                "scores": list(e.scores),
                "support": e.support,
                "packed": text_of(EXPECTED, e),
            }
            for e in expectations
        ]

        def save(run: Run) -> None:
            for batch in list(batches(rows, size=WRITE_BATCH // 10)) or [[]]:
                found = run(
                    "save_expectations",
                    workspace=workspace,
                    incarnation=stamp.incarnation,
                    catalogue_version=stamp.catalogue_version,
                    form=form,
                    rows=batch,
                )
                one(found, workspace)

        self.connection.transact(save, mode="write", asked="save_expectations")

    def list_unembedded(
        self,
        workspace: str,
        *,
        of: Literal["objects", "intents"],
        model: str,
        after: str | None = None,
        limit: int = 500,
    ) -> tuple[str, ...]:
        rows = self.connection.run(
            "list_unembedded", workspace=workspace, of=of, model=model, after=sort_key(after or ""), limit=limit
        )
        return tuple(sorted(one(rows, workspace)["ids"]))

    def show_embeddings(
        self, workspace: str, ids: Sequence[str], *, of: Literal["objects", "intents"]
    ) -> tuple[Embeddings, ...]:
        found: dict[str, list[tuple[str, list[float]]]] = {}
        for batch in list(batches(distinct(ids), size=WRITE_BATCH)) or [[]]:
            for identifier, model, vector in self.connection.read(
                "show_embeddings", lambda rows: _embedded(one(rows, workspace)), workspace=workspace, of=of, ids=batch
            ):
                found.setdefault(model, []).append((identifier, vector))
        return tuple(
            Embeddings(
                model=model,
                ids=tuple(identifier for identifier, _ in sorted(own)),
                matrix=np.array([vector for _, vector in sorted(own)], dtype=np.float32),
            )
            for model, own in sorted(found.items())
        )

    def save_embeddings(self, workspace: str, embeddings: Embeddings, *, of: Literal["objects", "intents"]) -> None:
        rows = [
            {"id": identifier, "embedding": self.connection.vector(vector), "embedding_digest": digest}
            for identifier, (vector, digest) in sorted(embedding_rows(embeddings).items())
        ]

        def save(run: Run) -> None:
            version: int | None = None
            for batch in list(batches(rows, size=WRITE_BATCH)) or [[]]:
                found = run(
                    "save_embeddings",
                    workspace=workspace,
                    version=version,
                    of=of,
                    rows=batch,
                    model=embeddings.model,
                )
                row = one(found, workspace)
                if version is None:
                    check_stored_width(embeddings, stored=row["width"])
                version = row["base"]

        self.connection.transact(save, mode="write", asked="save_embeddings")

    def record_discovery(self, workspace: str, discovery: Discovery, *, keep: int, keep_since: datetime) -> None:
        rows = self.connection.run(
            "record_discovery",
            workspace=workspace,
            id=discovery.id,
            intent=discovery.intent,
            retriever=discovery.retriever,
            rule=discovery.rule,
            results=list(discovery.results),
            trials=[text_of(TRIAL, trial) for trial in discovery.trials],
            judged=discovery.judged,
            at=discovery.at,
            keep=keep,
            keep_since=keep_since,
        )
        one(rows, workspace)

    def show_discoveries(self, workspace: str, ids: Sequence[str]) -> tuple[Discovery, ...]:
        found: list[Discovery] = []
        for batch in list(batches(distinct(ids), size=WRITE_BATCH)) or [[]]:
            found += self.connection.read(
                "show_discoveries",
                lambda rows: [discovery_of(each) for each in one(rows, workspace)["discoveries"]],
                workspace=workspace,
                ids=batch,
            )
        return tuple(sorted(found, key=lambda each: each.id))

    def earn_trust(self, workspace: str, discovery: str, gains: Mapping[str, float], *, bound: float) -> bool:
        rows = self.connection.run(
            "earn_trust",
            workspace=workspace,
            discovery=discovery,
            gains=[{"rule": rule, "gain": gain} for rule, gain in sorted(gains.items())],
            bound=bound,
        )
        return bool(one(rows, workspace)["counted"])

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        return trust_of(one(self.connection.run("list_trust", workspace=workspace), workspace)["trust"])

    def load_trust(self, workspace: str, trust: Sequence[Trust]) -> None:
        rows = [{"rule": each.rule, "lead": each.lead, "outcomes": each.outcomes} for each in trust]
        one(self.connection.run("load_trust", workspace=workspace, trust=rows), workspace)

    def reset_trust(self, workspace: str) -> int:
        return int(one(self.connection.run("reset_trust", workspace=workspace), workspace)["forgotten"])

    def neighbourhood(self, workspace: str, around: str, *, depth: int, limit: int = 200) -> Neighbourhood:
        found = self.connection.read(
            "neighbourhood",
            lambda rows: _neighbourhood(one(rows, workspace)),
            workspace=workspace,
            around=around,
            depth=depth,
            limit=limit,
        )
        if found is None:
            raise NotFound(
                f"the neighbourhood of {around!r} in workspace {workspace!r}",
                found="no object, memory or intent with this id",
                hint="List the ids with `retinue catalog list` or `retinue memory list`",
            )
        return found

    def _settled(self, name: str, understand: Callable[[Any], T], *, workspace: str, **parameters: object) -> T:
        """What the query's one record means, read again while it met a commit half way: a reader waits for no lock."""

        def read(rows: list[Any]) -> tuple[bool, T]:
            row = one(rows, workspace)
            return row["settled"], understand(row)

        for _ in range(SETTLING_TRIES):
            settled, found = self.connection.read(name, read, workspace=workspace, **parameters)
            if settled:
                break
            time.sleep(SETTLING_SECONDS)
        return found


def _evidence(row: Mapping[str, Any]) -> DiscoveryEvidence:
    return DiscoveryEvidence(
        stamp=stamp_of(row),
        cosines=scores_of(sorted(whole_pairs(row["cosines"]))),
        terms=scores_of(sorted(whole_pairs(row["terms"]))),
        memories=tuple(_memory_evidence(found) for found in row["memories"]),
        unembedded=row["unembedded"],
        approximate=row["approximate"],
        trust=trust_of(row["trust"]),
    )


def _changes(row: Mapping[str, Any]) -> Changes:
    objects = [object_of(dict(zip(_FIELDS, found, strict=True))) for found in row["objects"]]
    references = row["references"]
    return Changes(
        stamp=stamp_of(row),
        objects=tuple(sorted(objects, key=_id)),
        references=None if references is None else tuple(sorted(whole_pairs(references))),
        intents=tuple(sorted(whole_pairs(row["intents"]))),
        removed=row["removed"],
    )


def _listing(row: Mapping[str, Any]) -> Listing:
    return Listing(objects=tuple(sorted(row["objects"])), intents=tuple(sorted(row["intents"])))


def _embedded(row: Mapping[str, Any]) -> list[tuple[str, str, list[float]]]:
    for identifier, model, vector in row["embeddings"]:
        if identifier is None or model is None or vector is None:
            raise HalfRead
    return [(identifier, model, vector) for identifier, model, vector in row["embeddings"]]


def _neighbourhood(row: Mapping[str, Any]) -> Neighbourhood | None:
    if not row["there"]:
        return None
    nodes = sorted((_node(found) for found in row["nodes"]), key=lambda node: (node.labels[0], node.id))
    relationships = sorted(
        (_relationship(found) for found in row["relationships"]), key=lambda it: (it.type, it.start, it.end)
    )
    return Neighbourhood(nodes=tuple(nodes), relationships=tuple(relationships), truncated=row["truncated"])


def _id(found: DataObject) -> str:
    return found.id


def _memory_evidence(row: Mapping[str, Any]) -> MemoryEvidence:
    check_whole(*(value for name, value in row.items() if name not in ("support", "expected", "vector")))
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
        objects=tuple(row["objects"]),
        expected=None
        if row["expected"] is None
        else value_of(EXPECTED, row["expected"], memory=row["id"], support=row["support"]),
        vector=None if row["vector"] is None else np.array(row["vector"], dtype=np.float32),
    )


def _node(row: Mapping[str, Any]) -> Node:
    check_whole(row["id"])
    known = {
        name: instant(value).isoformat() if hasattr(value, "to_native") else value
        for name, value in row.items()
        if value is not None and name not in ("label", "kind")
    }
    return Node(id=row["id"], labels=_LABELS.get(row["kind"], (row["label"],)), properties=known)


def _relationship(row: Mapping[str, Any]) -> Relationship:
    check_whole(row["type"], row["start_id"], row["end_id"])
    return Relationship(
        type=row["type"],
        start=(row["start"], row["start_id"]),
        end=(row["end"], row["end_id"]),
        properties={} if row["score"] is None else {"score": row["score"]},
    )
