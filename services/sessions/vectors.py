"""Embeddings of chunks, read from the store; missing ones are computed on demand and stored as best effort."""

from collections.abc import Sequence

import numpy as np

from graph.chunks import Chunks
from graph.embeddings import Embeddings, FloatArray
from graph.session_contents import SessionContents
from services.best_effort import best_effort
from services.encoders import Encoder


def vectors_of(
    store: Chunks, workspace: str, contents: SessionContents, *, encoder: Encoder, may_write: bool
) -> FloatArray:
    """Return one row for each chunk, in order, n x d."""
    rows: dict[str, FloatArray] = {}
    if contents.ids:
        for found in store.show_chunk_embeddings(workspace, contents.session.id):
            if found.model == encoder.name:
                rows = dict(zip(found.ids, found.matrix, strict=True))
    missing = [place for place, key in enumerate(contents.ids) if key not in rows]
    if missing:
        made = encode(encoder, [contents.texts[place] for place in missing])
        keys = tuple(contents.ids[place] for place in missing)
        rows |= dict(zip(keys, made, strict=True))
        if may_write:
            with best_effort("keeping embeddings of chunks"):  # the session may be gone, or the store busy
                given = Embeddings(model=encoder.name, ids=keys, matrix=made)
                store.save_chunk_embeddings(workspace, contents.session.id, given)
    return np.stack([rows[key] for key in contents.ids]) if contents.ids else np.zeros((0, 1), dtype=np.float32)


def encode(encoder: Encoder, texts: Sequence[str]) -> FloatArray:
    """Encode each distinct text once, so that equal texts get equal vectors."""
    distinct = list(dict.fromkeys(texts))
    made = encoder.encode(distinct)
    place = {text: number for number, text in enumerate(distinct)}
    return made[[place[text] for text in texts]]
