"""The bare vector-index queries that an answer from Neo4j stands on, in the form that each line answers fastest."""

from __future__ import annotations

from math import ceil
from typing import Any

from neo4j import READ_ACCESS, ManagedTransaction

from graph.embeddings import FloatArray
from graph.evidence import INTENT_LIMIT, LEXICAL_LIMIT
from graph.neo4j.store import Neo4jStore

FILTERED = {
    "object": """CYPHER 25
MATCH (n:DataObject)
  SEARCH n IN (
    VECTOR INDEX object_embedding FOR $vector
    WHERE n.workspace = $workspace AND n.embedding_model = $model AND n.gone = false LIMIT $limit
  ) SCORE AS score
RETURN collect([n.id, score])""",
    "intent": """CYPHER 25
MATCH (n:Intent)
  SEARCH n IN (
    VECTOR INDEX intent_embedding FOR $vector
    WHERE n.workspace = $workspace AND n.embedding_model = $model LIMIT $limit
  ) SCORE AS score
RETURN collect([n.id, score])""",
}
OVERSAMPLED = """CALL db.index.vector.queryNodes($index, $limit, $vector) YIELD node, score
WHERE node.workspace = $workspace AND node.embedding_model = $model
RETURN collect([node.id, score])"""
COUNTS = {"object": "MATCH (n:DataObject) RETURN count(n)", "intent": "MATCH (n:Intent) RETURN count(n)"}
KEPT = {"object": LEXICAL_LIMIT, "intent": INTENT_LIMIT}
LIMITS = {"object": 80 * LEXICAL_LIMIT, "intent": INTENT_LIMIT}  # as an answer asks the indexes that can filter


class BareQueries:
    """Over one workspace; where an index cannot filter by it, more is asked for, by the share that others hold."""

    def __init__(self, store: Neo4jStore, workspace: str, *, model: str, sizes: dict[str, int]) -> None:
        self._driver = store.connection.driver
        self._filters = store.connection.capabilities.release == "2026"
        self._fixed = {"workspace": workspace, "model": model}
        self.limits = dict(LIMITS)
        if not self._filters:
            for kind, size in sizes.items():
                total = store.connection.execute(COUNTS[kind])[0][0]
                least = LIMITS[kind] if kind == "object" else 0
                self.limits[kind] = max(least, ceil(3 * KEPT[kind] * total / size))

    def ask(self, kind: str, vector: FloatArray, *, limit: int | None = None) -> list[Any]:
        text = FILTERED[kind] if self._filters else OVERSAMPLED
        parameters = {
            **self._fixed,
            "vector": vector.tolist(),
            "limit": limit or self.limits[kind],
            "index": f"{kind}_embedding",
        }
        if self._filters:
            del parameters["index"]

        def work(transaction: ManagedTransaction) -> list[Any]:
            return list(transaction.run(text, parameters))

        with self._driver.session(default_access_mode=READ_ACCESS) as session:
            return session.execute_read(work)

    def both(self, vector: FloatArray) -> None:
        self.ask("object", vector)
        self.ask("intent", vector)
