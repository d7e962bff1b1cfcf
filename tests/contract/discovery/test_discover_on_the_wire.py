"""One question to Neo4j is one query with few records, no embedding among them, however much the workspace holds."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from graph.embeddings import Embeddings, FloatArray
from graph.neo4j.store import open_store
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT, column, intent_id, memory, table
from kit.wire import observed
from services.catalogue_index import CatalogueIndexes
from services.discovery.service import DiscoveryService

DIMENSIONS, EACH = 384, 4  # bytes that one embedding has at least, in any form
INTENT = "question about a column 7 of table 3"


class Hashed:
    """Embeddings that follow from the text alone; what they say does not matter here."""

    name = "hashed"

    def encode(self, texts: Sequence[str]) -> FloatArray:
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        rows = np.stack([np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32) for seed in seeds])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_discover_is_one_query_of_few_records(neo4j_server: Server) -> None:
    encoder, name = Hashed(), f"t-{uuid.uuid4().hex}"
    objects = [
        each for t in range(15) for each in (table(f"t{t}"), *(column(f"t{t}", f"column {c}") for c in range(19)))
    ]
    intents = [f"question about column {n % 19} of table {n}" for n in range(100)]
    memories = [memory(text, [objects[n].id, objects[2 * n].id]) for n, text in enumerate(intents)]
    with observed(neo4j_server.url) as (url, traffic):
        store = open_store(url, user=neo4j_server.user, password=neo4j_server.password)
        store.create_workspace(name, incarnation="first", at=AT)
        ids = tuple(each.id for each in objects)
        vectors = Embeddings(model=encoder.name, ids=ids, matrix=encoder.encode(ids))
        store.save_objects(name, objects, embeddings=vectors)
        of_intents = Embeddings(model=encoder.name, ids=tuple(map(intent_id, intents)), matrix=encoder.encode(intents))
        store.save_memories(name, memories, embeddings=of_intents)
        service = DiscoveryService(
            store, CatalogueIndexes(store), encoder, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)
        )
        service.reindex(name)
        first = service.discover(name, INTENT)

        traffic.clear()
        again = service.discover(name, INTENT)
        assert len(traffic.queries) == 1, traffic.queries
        assert 1 <= traffic.records <= 400
        # The stored vectors that were scored are 400; the whole answer is smaller than a sixth of them.
        assert traffic.received < 400 * DIMENSIONS * EACH / 6

        assert [hit.id for hit in again.results] == [hit.id for hit in first.results]
        assert len(again.results) == 10
        store.delete_workspace(name)
        store.close()
