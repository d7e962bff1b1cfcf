"""Embeddings of objects and intents in Neo4j, beside a digest by which an unchanged one is not written again."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from graph.embeddings import Embeddings
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import check_stored_width, check_whole, distinct, embedding_rows, sort_key


class EmbeddingQueries:
    """See `graph.embeddings.EmbeddingStore`."""

    connection: Connection

    def list_unembedded(
        self,
        workspace: str,
        *,
        of: Literal["objects", "intents"],
        model: str,
        after: str | None = None,
        limit: int = 500,
    ) -> tuple[str, ...]:
        asked = {"of": of, "model": model, "after": sort_key(after or ""), "limit": limit}
        return tuple(sorted(self.connection.run("list_unembedded", workspace=workspace, **asked)["ids"]))

    def show_embeddings(
        self, workspace: str, ids: Sequence[str], *, of: Literal["objects", "intents"]
    ) -> tuple[Embeddings, ...]:
        found: dict[str, list[tuple[str, list[float]]]] = {}
        for batch in self.connection.batches(distinct(ids)):
            for identifier, model, vector in self.connection.read(
                "show_embeddings", _whole, workspace=workspace, of=of, ids=batch
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
            {"id": identifier, **self.connection.embedding(found)}
            for identifier, found in sorted(embedding_rows(embeddings).items())
        ]

        def save(run: Run) -> None:
            version: int | None = None
            for batch in self.connection.batches(rows):
                given = {"of": of, "rows": batch, "model": embeddings.model}
                row = run("save_embeddings", workspace=workspace, version=version, **given)
                if version is None:
                    check_stored_width(embeddings, stored=row["width"])
                version = row["base"]

        self.connection.transact(save, mode="write", asked="save_embeddings")


def _whole(row: Mapping[str, Any]) -> list[tuple[str, str, list[float]]]:
    for each in row["embeddings"]:
        check_whole(*each)
    return [(identifier, model, vector) for identifier, model, vector in row["embeddings"]]
