"""Embeddings of objects and intents in the embedded store."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Literal

import numpy as np

from graph.catalogue import DataObject
from graph.embedded.catalogue import OBJECT, OBJECT_VECTOR
from graph.embedded.memories import INTENT, INTENT_VECTOR
from graph.embedded.transactions import Core
from graph.embedded.vectors import checked
from graph.embeddings import Embeddings


class EmbeddingOperations(Core):
    """See `graph.embeddings.EmbeddingStore`."""

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
                things, kind, table, vector_kind = graph.objects, OBJECT, graph.object_vectors, OBJECT_VECTOR
            else:
                things, kind, table, vector_kind = graph.intents, INTENT, graph.intent_vectors, INTENT_VECTOR
            for key, vector in checked(embeddings, table).items():
                if key in things and not table.holds(key, vector):
                    draft.put(kind, key, things[key])  # as it is, at its new version
                    draft.put(vector_kind, key, vector)
            if not draft.is_empty:
                draft.move(catalogue=of == "objects")
