"""Importing a catalogue with embeddings into Neo4j, beside a raw UNWIND of the same rows and properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from benchmarks.filling import Filled, warm_encoder
from benchmarks.import_embedded import import_in_turn, repetitions
from benchmarks.rows import Row
from benchmarks.servers import drop, opened
from benchmarks.synthetic import SyntheticEncoder, Warehouse, warehouse
from graph.catalogue import DataObject
from graph.neo4j.mapping import digest, sort_key
from graph.neo4j.store import Neo4jStore

RAW = """UNWIND $rows AS row
CREATE (o:DataObject:$(row.label) {workspace: $workspace, id: row.properties.id})
SET o += row.properties
WITH o, row
CALL db.create.setNodeVectorProperty(o, 'embedding', row.embedding)"""


def import_neo4j(size: int, *, line: str) -> Iterator[Row]:
    made = warehouse(size)
    encoder = warm_encoder(made)
    own, bare = [], []
    with opened(line) as store, Filled(store, encoder=encoder) as services:
        raw = RawUnwind(store, made, encoder=encoder)
        for _ in range(repetitions(size)):
            try:
                services.workspaces.ensure("bench")
                taken = import_in_turn(services, "bench", made, bare=raw.load)
            finally:
                drop(store, "bench", RawUnwind.workspace)
            own.append(taken[0])
            bare.append(taken[1])
    yield Row(
        name=f"import_{line}",
        size=size,
        seconds=median(own),
        baseline="a raw UNWIND of the same rows and properties, in the same batches",
        baseline_seconds=median(bare),
        note=f"{size / median(own):,.0f} objects/s with 384-d embeddings, encoding apart",
    )


class RawUnwind:
    """Nodes alone: no edges, no report, no version, but under the same constraints and indexes."""

    workspace = "bench-raw"

    def __init__(self, store: Neo4jStore, made: Warehouse, *, encoder: SyntheticEncoder) -> None:
        self._connection = store.connection
        self._texts = dict(zip((item.id for item in made.catalogue.objects), made.texts, strict=False))
        self._encoder = encoder

    def load(self, objects: Sequence[DataObject]) -> None:
        matrix = self._encoder.encode([self._texts[item.id] for item in objects])
        rows = [
            {
                "label": "Table" if item.kind == "table" else "Attribute",
                "properties": self._properties(item, digest(vector.tobytes())),
                "embedding": self._connection.vector(vector),
            }
            for item, vector in zip(objects, matrix, strict=True)
        ]
        with self._connection.driver.session() as session:
            session.execute_write(lambda it: it.run(RAW, rows=rows, workspace=self.workspace).consume())

    def _properties(self, item: DataObject, mark: int) -> dict[str, Any]:
        return {
            "id": item.id,
            "sort_key": sort_key(item.id),
            "kind": item.kind,
            "name": item.name,
            "description": item.description,
            "table": item.table,
            "data_type": item.data_type,
            "source": item.source,
            "folded": self._texts[item.id],
            "gone": False,
            "version": 1,
            "embedding_model": self._encoder.name,
            "embedding_digest": mark,
        }
