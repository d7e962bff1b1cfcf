"""How alike things of one answer are among themselves: the intents of its memories, the objects on its board.

Both are small squares, made for each answer from the registry's weights and from vectors that are held.
"""

from __future__ import annotations

import numpy as np

from graph.errors import RetinueError
from graph.store import Store
from services.discovery.board import Board, Floats
from services.discovery.evidence import Gathered, Inquiry
from services.discovery.vectors import IntentVectors
from services.words import full_text


def kin_of(store: Store, vectors: IntentVectors, inquiry: Inquiry, gathered: Gathered) -> Floats | None:
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


def likeness_of(inquiry: Inquiry, gathered: Gathered, board: Board, store: Store) -> Floats | None:
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
