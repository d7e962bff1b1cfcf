"""The evidence for one question, as array work over a workspace: cosines, near memories, Eq. 1's term.

The rules of `services.discovery` score it. Python loops run over what is returned, never over a whole workspace.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from graph.embedded.arrays import Array, first_rows, nearest_rows, rounded
from graph.embedded.kinds import Change, form_kind, keep
from graph.embedded.memory_columns import KeptExpectation
from graph.embedded.transactions import Core
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.embeddings import FloatArray
from graph.evidence import DiscoveryEvidence, Expectation, MemoryEvidence, Question, Scores
from graph.plain import Form
from graph.workspaces import Stamp

Numbers = NDArray[np.float64]

BLOCK = 32  # intents multiplied with all objects at once: 13 MB of cosines for 10^5 objects


def _apply_expectation(graph: WorkspaceGraph, change: Change) -> None:
    keep(graph.expectations, change.id, change.value)
    graph.memory_columns.expect(change.id, change.value)


EXPECTATION = form_kind(Form(KeptExpectation), number=8, name="expectation", apply=_apply_expectation)


class EvidenceOperations(Core):
    """See `graph.evidence.EvidenceSource`."""

    def evidence(self, workspace: str, question: Question) -> DiscoveryEvidence:
        with self._reading(workspace) as graph:
            return gather(graph, question)

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
                    draft.put(EXPECTATION, it.memory, kept)


def gather(graph: WorkspaceGraph, question: Question) -> DiscoveryEvidence:
    """See `DiscoveryEvidence`."""
    memories = _near_memories(graph, question) if question.use_memory else ()
    terms = _terms(memories)
    trust = tuple(graph.trust[rule] for rule in sorted(graph.trust))
    model, vector = question.model, question.vector
    if model is None or vector is None:
        return DiscoveryEvidence(stamp=graph.stamp, terms=terms, memories=memories, trust=trust)
    asked = [*question.objects.ids, *(found for memory in memories for found in memory.objects)]
    if question.nearest_only:
        asked = []
    live = graph.live_rows.view(graph.object_rows) & graph.object_vectors.present(model)
    return DiscoveryEvidence(
        stamp=graph.stamp,
        cosines=_cosines(graph, live, model=model, vector=vector, limit=question.vector_limit, asked=asked),
        terms=terms,
        memories=memories,
        unembedded=graph.live_count - int(np.count_nonzero(live)),
        trust=trust,
    )


def _cosines(
    graph: WorkspaceGraph, live: Array, *, model: str, vector: FloatArray, limit: int, asked: Iterable[str]
) -> Scores:
    cosines = graph.object_vectors.cosines(model, vector)
    if cosines is None:
        return Scores()
    np.copyto(cosines, -np.inf, where=~live)
    ids = graph.object_rows.ids
    found = {ids[row]: cosine for row, cosine in nearest_rows(cosines, ids=ids, limit=limit)}
    more = sorted({key for key in asked if key in graph.object_rows.row_of and key not in found})
    rows = graph.object_rows.find(more)
    found.update(
        (key, cosine)
        for key, there, cosine in zip(more, live[rows].tolist(), rounded(cosines[rows]).tolist(), strict=True)
        if there
    )
    ordered = sorted(found.items())
    return Scores(ids=tuple(key for key, _ in ordered), values=tuple(cosine for _, cosine in ordered))


def _near_memories(graph: WorkspaceGraph, question: Question) -> tuple[MemoryEvidence, ...]:
    columns, ids = graph.memory_columns, graph.memory_columns.rows.ids
    if not len(ids):
        return ()
    similarity = _similarities(graph, question)[columns.intent_rows()]
    rows = np.flatnonzero(columns.active() & (similarity > 0))
    confidence, weight, reach = np.zeros((3, len(ids)))
    confidence[rows] = columns.confidences(rows, today=question.today)
    weight[rows] = columns.weights(rows, catalogue_version=graph.record.catalogue_version, form=question.form)
    floor = question.reach_floor
    near = np.maximum(0.0, (similarity[rows] - floor) / (1 - floor))
    reach[rows] = near**question.reach_power * weight[rows] * confidence[rows]

    nearest = rows[columns.confirmed()[rows]]
    leaders = first_rows(nearest, by=[similarity], ids=ids, limit=question.top_k)
    reaching = first_rows(rows, by=[reach, similarity], ids=ids, limit=question.reach_limit)
    chosen = reaching
    if leaders:
        both = np.array(sorted({*leaders, *reaching}), dtype=np.intp)
        chosen = first_rows(both, by=[reach, similarity], ids=ids, limit=len(both))
    return tuple(
        _memory_evidence(
            graph,
            question,
            ids[row],
            similarity=float(similarity[row]),
            confidence=float(confidence[row]),
            weight=float(weight[row]),
            reach=float(reach[row]),
            leads=row in leaders,
        )
        for row in chosen
    )


def _similarities(graph: WorkspaceGraph, question: Question) -> Numbers:
    """By the row of each intent, its similarity to the question, within 0 and 1."""
    lexical = np.zeros(len(graph.intent_rows))
    named = graph.intent_rows.find(question.intents.ids)
    there = named >= 0
    lexical[named[there]] = np.asarray(question.intents.values, dtype=np.float64)[there]
    if question.similarity == "lexical":
        return lexical
    neural = np.zeros(len(lexical))
    embedded = np.zeros(len(lexical), dtype=np.bool_)
    if question.model is not None and question.vector is not None:
        cosines = graph.intent_vectors.cosines(question.model, question.vector)
        if cosines is not None:
            neural = np.clip(rounded(cosines), 0.0, 1.0)
            embedded = graph.intent_vectors.present(question.model)
    if question.similarity == "neural":
        return neural
    return np.where(embedded, (lexical + neural) / 2, lexical)


def _memory_evidence(
    graph: WorkspaceGraph,
    question: Question,
    memory_id: str,
    *,
    similarity: float,
    confidence: float,
    weight: float,
    reach: float,
    leads: bool,
) -> MemoryEvidence:
    memory = graph.memories[memory_id]
    kept = graph.expectations.get(memory_id)
    current = kept is not None and (kept.catalogue_version, kept.form) == (
        graph.record.catalogue_version,
        question.form,
    )
    return MemoryEvidence(
        id=memory.id,
        intent_id=memory.intent_id,
        intent=memory.intent,
        state=memory.state,
        similarity=similarity,
        confidence=confidence,
        weight=weight,
        reach=reach,
        share=question.alpha * similarity if leads else 0.0,
        objects=memory.objects,
        expected=kept.expectation if kept is not None and current else None,
        vector=graph.intent_vectors.get(memory.intent_id, model=question.model)
        if question.model is not None
        and question.held_vectors is not None
        and memory.intent_id not in question.held_vectors
        else None,
    )


def _terms(memories: tuple[MemoryEvidence, ...]) -> Scores:
    """Eq. 1's memory term by object."""
    terms: dict[str, float] = {}
    for memory in memories:
        if memory.share:
            for found in memory.objects:
                terms[found] = terms.get(found, 0.0) + memory.share
    ordered = sorted(terms.items())
    return Scores(ids=tuple(key for key, _ in ordered), values=tuple(value for _, value in ordered))


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
