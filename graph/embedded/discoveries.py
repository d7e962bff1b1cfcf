"""What discovery reads of the embedded store and keeps in it: evidence, changes, expectations, embeddings, records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Literal

import numpy as np

from graph.catalogue import DataObject
from graph.changes import Changes, Listing
from graph.embedded.arrays import nearest_rows
from graph.embedded.changes import KeptExpectation, Kind
from graph.embedded.evidence import gather
from graph.embedded.neighbourhood import explore
from graph.embedded.transactions import Core
from graph.embedded.vectors import checked
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.embeddings import Embeddings
from graph.evidence import DiscoveryEvidence, Expectation, Question, Scores
from graph.explore import Neighbourhood
from graph.feedback import Discovery, Trust
from graph.workspaces import Stamp

BLOCK = 32  # intents multiplied with all objects at once: 13 MB of cosines for 10^5 objects


class DiscoveryOperations(Core):
    """Evidence, changes, embeddings, feedback and exploring: the ports of these names in `graph/`."""

    def evidence(self, workspace: str, question: Question) -> DiscoveryEvidence:
        with self._reading(workspace) as graph:
            return gather(graph, question)

    def changes(self, workspace: str, *, since: int) -> Changes:
        with self._reading(workspace) as graph:
            record = graph.record
            return Changes(
                stamp=graph.stamp,
                objects=tuple(map(graph.objects.__getitem__, graph.object_log.since(since))),
                references=tuple(graph.references.all()) if record.catalogue_version > since else None,
                intents=tuple((key, graph.intents[key]) for key in graph.intent_log.since(since)),
                removed=record.removed_version > since,
            )

    def list_ids(self, workspace: str) -> Listing:
        with self._reading(workspace) as graph:
            return Listing(objects=tuple(graph.object_ids.all()), intents=tuple(sorted(graph.intents)))

    def nearest_objects(
        self, workspace: str, intents: Sequence[str], *, model: str, limit: int = 50
    ) -> dict[str, Scores]:
        with self._reading(workspace) as graph:
            asked = [key for key in dict.fromkeys(intents) if graph.intent_vectors.has(key, model=model)]
            nearest: dict[str, Scores] = {}
            for start in range(0, len(asked), BLOCK):
                nearest |= _nearest(graph, asked[start : start + BLOCK], model=model, limit=limit)
            return nearest

    def save_expectations(
        self, workspace: str, expectations: Sequence[Expectation], *, stamp: Stamp, form: str
    ) -> None:
        with self._writing(workspace) as (graph, draft):
            now = graph.stamp
            if (stamp.incarnation, stamp.catalogue_version) != (now.incarnation, now.catalogue_version):
                return
            for it in expectations:
                if it.memory in graph.memories:
                    kept = KeptExpectation(expectation=it, catalogue_version=stamp.catalogue_version, form=form)
                    draft.put(Kind.EXPECTATION, it.memory, kept)

    def list_unembedded(
        self,
        workspace: str,
        *,
        of: Literal["objects", "intents"],
        model: str,
        after: str | None = None,
        limit: int = 500,
    ) -> tuple[str, ...]:
        with self._reading(workspace) as graph:
            if of == "objects":
                table = graph.object_vectors
                if not np.any(graph.live_rows.view(graph.object_rows) & ~table.present(model)):
                    return ()  # as it mostly is: seen without a walk over all ids
                keys = (key for key in graph.object_ids.after(after) if not graph.objects[key].gone)
            else:
                table = graph.intent_vectors
                keys = (key for key in sorted(graph.intents) if after is None or key > after)
            return tuple(islice((key for key in keys if not table.has(key, model=model)), limit))

    def show_embeddings(
        self, workspace: str, ids: Sequence[str], *, of: Literal["objects", "intents"]
    ) -> tuple[Embeddings, ...]:
        with self._reading(workspace) as graph:
            table = graph.object_vectors if of == "objects" else graph.intent_vectors
            found = table.of(sorted(set(ids)))
            return tuple(
                Embeddings(model=model, ids=tuple(keys), matrix=np.stack(vectors))
                for model, (keys, vectors) in sorted(found.items())
            )

    def save_embeddings(self, workspace: str, embeddings: Embeddings, *, of: Literal["objects", "intents"]) -> None:
        with self._writing(workspace) as (graph, draft):
            things: Mapping[str, DataObject | str]
            if of == "objects":
                things, kind, table, vector_kind = graph.objects, Kind.OBJECT, graph.object_vectors, Kind.OBJECT_VECTOR
            else:
                things, kind, table, vector_kind = graph.intents, Kind.INTENT, graph.intent_vectors, Kind.INTENT_VECTOR
            for key, vector in checked(embeddings, table).items():
                if key in things and not table.holds(key, vector):
                    draft.put(kind, key, things[key])  # as it is, at its new version
                    draft.put(vector_kind, key, vector)
            if not draft.is_empty:
                draft.move(catalogue=of == "objects")

    def record_discovery(self, workspace: str, discovery: Discovery, *, keep: int, keep_since: datetime) -> None:
        with self._writing(workspace) as (graph, draft):
            own = (discovery.at, discovery.id)
            others = (it for it in graph.discovery_times.all() if it[1] != discovery.id)
            kept = sorted([*others, own])
            kept_from = max(len(kept) - keep, 0)
            leaving = [key for place, (at, key) in enumerate(kept) if place < kept_from or at < keep_since]
            if discovery.id not in leaving:
                draft.put(Kind.DISCOVERY, discovery.id, discovery)
            draft.drop(Kind.DISCOVERY, (key for key in leaving if key in graph.discoveries))

    def show_discoveries(self, workspace: str, ids: Sequence[str]) -> tuple[Discovery, ...]:
        with self._reading(workspace) as graph:
            return tuple(graph.discoveries[key] for key in sorted(set(ids)) if key in graph.discoveries)

    def earn_trust(self, workspace: str, discovery: str, gains: Mapping[str, float], *, bound: float) -> bool:
        with self._writing(workspace) as (graph, draft):
            found = graph.discoveries.get(discovery)
            if found is None or found.judged:
                return False
            draft.put(Kind.DISCOVERY, discovery, replace(found, judged=True))
            for rule, gain in sorted(gains.items()):
                held = graph.trust.get(rule) or Trust(rule=rule, lead=0.0, outcomes=0)
                lead = max(-bound, min(bound, held.lead + gain))
                draft.put(Kind.TRUST, rule, replace(held, lead=lead, outcomes=held.outcomes + 1))
            return True

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        with self._reading(workspace) as graph:
            return tuple(graph.trust[rule] for rule in sorted(graph.trust))

    def load_trust(self, workspace: str, trust: Sequence[Trust]) -> None:
        with self._writing(workspace) as (graph, draft):
            for each in trust:
                if graph.trust.get(each.rule) != each:
                    draft.put(Kind.TRUST, each.rule, each)

    def reset_trust(self, workspace: str) -> int:
        with self._writing(workspace) as (graph, draft):
            draft.drop(Kind.TRUST, sorted(graph.trust))
            return len(graph.trust)

    def neighbourhood(self, workspace: str, around: str, *, depth: int, limit: int = 200) -> Neighbourhood:
        with self._reading(workspace) as graph:
            return explore(graph, around, depth=depth, limit=limit)


def _nearest(graph: WorkspaceGraph, intents: Sequence[str], *, model: str, limit: int) -> dict[str, Scores]:
    own = graph.intent_vectors.matrices[model].vectors.view(graph.intent_rows)[graph.intent_rows.find(intents)]
    cosines = graph.object_vectors.cosines(model, own)
    if cosines is None:
        return dict.fromkeys(intents, Scores())
    cosines[:, ~(graph.live_rows.view(graph.object_rows) & graph.object_vectors.present(model))] = -np.inf
    ids = graph.object_rows.ids
    nearest = {}
    for intent, scores in zip(intents, cosines, strict=True):
        best = [(ids[row], cosine) for row, cosine in nearest_rows(scores, ids=ids, limit=limit) if cosine >= 0]
        nearest[intent] = Scores(ids=tuple(key for key, _ in best), values=tuple(cosine for _, cosine in best))
    return nearest
