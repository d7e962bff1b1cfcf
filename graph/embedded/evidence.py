"""The evidence for one question, as array work over a workspace: cosines, near memories, Eq. 1's term.

The rules of `services.discovery` score it. Python loops run over what is returned, never over a whole workspace.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from graph.embedded.arrays import Array, first_rows, nearest_rows, rounded
from graph.embedded.kinds import Change, form_kind, keep
from graph.embedded.memory_columns import KeptExpectation
from graph.embedded.transactions import Core
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.embeddings import FloatArray
from graph.evidence import DiscoveryEvidence, Expectation, LatestMemory, MemoryEvidence, Question, Scores
from graph.memories import Memory
from graph.plain import Form
from graph.workspaces import Stamp

Numbers = NDArray[np.float64]

BLOCK = 32  # intents multiplied with all objects at once: 13 MB of cosines for 10^5 objects


def _apply_expectation(graph: WorkspaceGraph, change: Change) -> None:
    keep(graph.expectations, change.id, change.value)


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
    latest, held = _latest(graph, question), set(question.held_latest)
    recalled = DiscoveryEvidence(
        stamp=graph.stamp,
        terms=terms,
        memories=memories,
        latest=tuple(memory.id for memory in latest),
        learned=tuple(_learned(graph, question, it) for it in latest if it.id not in held),
        trust=tuple(graph.trust[rule] for rule in sorted(graph.trust)),
    )
    model, vector = question.model, question.vector
    if model is None or vector is None:
        return recalled
    asked = [*question.objects.ids, *(found for memory in memories for found in memory.objects)]
    if question.nearest_only:
        asked = []
    live = graph.live_rows.view(graph.object_rows) & graph.object_vectors.present(model)
    return replace(
        recalled,
        cosines=_cosines(graph, live, model=model, vector=vector, limit=question.vector_limit, asked=asked),
        unembedded=graph.live_count - int(np.count_nonzero(live)),
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
    confirmed = rows[columns.confirmed()[rows]]
    leaders = first_rows(confirmed, by=[similarity], ids=ids, limit=question.top_k)
    chosen = first_rows(rows, by=[similarity], ids=ids, limit=question.memory_limit)
    if leaders:
        both = np.array(sorted({*leaders, *chosen}), dtype=np.intp)
        chosen = first_rows(both, by=[similarity], ids=ids, limit=len(both))
    confidences = columns.confidences(np.array(chosen, dtype=np.intp), today=question.today)
    return tuple(
        _memory_evidence(
            graph,
            question,
            graph.memories[ids[row]],
            similarity=float(similarity[row]),
            confidence=confidence,
            leads=row in leaders,
        )
        for row, confidence in zip(chosen, confidences.tolist(), strict=True)
    )


def _latest(graph: WorkspaceGraph, question: Question) -> list[Memory]:
    if not question.use_memory:
        return []
    return [graph.memories[memory] for memory in graph.memory_columns.latest(question.latest)]


def _learned(graph: WorkspaceGraph, question: Question, memory: Memory) -> LatestMemory:
    return LatestMemory(
        id=memory.id,
        intent_id=memory.intent_id,
        intent=memory.intent,
        objects=memory.objects,
        expected=_current(graph, question, memory),
    )


def _current(graph: WorkspaceGraph, question: Question, memory: Memory) -> Expectation | None:
    """The memory's expectation, if it was made for this catalogue and the question's form."""
    kept, version = graph.expectations.get(memory.id), graph.record.catalogue_version
    return (
        kept.expectation
        if kept is not None and (kept.catalogue_version, kept.form) == (version, question.form)
        else None
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
    memory: Memory,
    *,
    similarity: float,
    confidence: float,
    leads: bool,
) -> MemoryEvidence:
    return MemoryEvidence(
        id=memory.id,
        intent_id=memory.intent_id,
        intent=memory.intent,
        state=memory.state,
        similarity=similarity,
        confidence=confidence,
        successes=memory.successes,
        failures=memory.failures,
        share=question.alpha * similarity if leads else 0.0,
        objects=memory.objects,
        expected=_current(graph, question, memory),
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
