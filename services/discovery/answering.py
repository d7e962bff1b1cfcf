"""Score candidates: the retriever's score of each, and similarities among intents and among objects.

The blend's formula is in `registry_score`, the rules' in `rules`.
"""

from __future__ import annotations

import numpy as np

from graph.errors import RetinueError
from graph.store import Store
from services.discovery.candidates import Candidates, Floats, collect_candidates, collect_plain
from services.discovery.evidence import Gathered, Inquiry
from services.discovery.intent_vectors import IntentVectors
from services.discovery.registry_score import blend
from services.words import full_text


def intent_similarities(store: Store, vectors: IntentVectors, inquiry: Inquiry, gathered: Gathered) -> Floats | None:
    """k x k, as alike as the question is to each: words, or the mean of words and embeddings where both have one."""
    memories = gathered.memories
    if inquiry.plan.needs != "kin" or not memories or not inquiry.recalls:
        return None
    texts = [memory.intent for memory in memories]
    kin = gathered.registry.cosines("intent", inquiry.plan.intent_unit).between(texts)
    if inquiry.vector is None:
        return kin
    held = vectors.stored(store, inquiry.workspace, {memory.intent_id: memory.intent for memory in memories})
    there = np.array([text in held for text in texts])
    if there.any():
        rows = np.flatnonzero(there)
        own = np.stack([held[texts[row]] for row in rows])
        cosines = np.clip(np.round((own @ own.T).astype(np.float64), 6), 0, 1)
        kin[np.ix_(rows, rows)] = (kin[np.ix_(rows, rows)] + cosines) / 2
    return kin


def object_similarities(inquiry: Inquiry, gathered: Gathered, board: Candidates, store: Store) -> Floats | None:
    """n x n: cosines of the objects' full texts, of their embeddings under `neural`."""
    if inquiry.plan.needs != "likeness" or not inquiry.recalls or not board.ids:
        return None
    registry = gathered.registry
    if inquiry.plan.retriever == "neural":
        try:
            found = store.show_embeddings(inquiry.workspace, board.ids, of="objects")
        except RetinueError:
            found = ()
        rows = np.zeros((len(board.ids), len(inquiry.vector) if inquiry.vector is not None else 0))
        for embeddings in found:
            if embeddings.model == inquiry.model:
                rows[[board.row_of[item] for item in embeddings.ids]] = embeddings.matrix
        return np.round(rows @ rows.T, 6)
    items = [registry.objects[item] for item in board.ids]
    texts = [full_text(item, registry.table_name(item)) for item in items]
    return registry.cosines("text", inquiry.plan.unit).between(texts)


def candidates_and_scores(inquiry: Inquiry, gathered: Gathered) -> tuple[Candidates, Floats]:
    """The objects to weigh, and what the plan's retriever says of each."""
    registry, evidence, lexical = gathered.registry, gathered.evidence, gathered.lexical
    recalled = [item for memory in gathered.memories for item in memory.objects] if inquiry.recalls else []
    if inquiry.plan.blends:
        # What memories expected and nobody found, named or came near to can only lose: shares are never negative. It is
        # left out, two thirds of what would be on the board.
        named = registry.named(inquiry.intent)
        board = collect_candidates(registry, (*lexical.best.ids, *evidence.cosines.ids, *recalled, *named))
        parts = [board.column(lexical.best)]
        if inquiry.vector is not None:
            parts.append(board.column(evidence.cosines))
        return board, blend(board, parts, named=named)
    if inquiry.plan.retriever == "neural":
        board = collect_plain(registry, (*evidence.cosines.ids, *recalled))
        return board, np.maximum(board.column(evidence.cosines), 0)
    board = collect_plain(registry, (*lexical.best.ids, *recalled))
    return board, board.column(lexical.of(board.ids))
