"""Importing a catalogue with embeddings into the embedded store, beside bare inserts of the same rows.

The bare batch is inserted whenever the import reports progress, and its time is subtracted: both meet the same machine.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.filling import Filled, warm_encoder
from benchmarks.rows import Row, timed
from benchmarks.synthetic import Warehouse, warehouse
from graph.catalogue import DataObject
from graph.embedded import open_store

ENOUGH_ROWS = 20_000  # a smaller catalogue is imported several times, each into a workspace that is new


def import_embedded(size: int) -> Iterator[Row]:
    made = warehouse(size)
    encoder = warm_encoder(made)
    own, bare = [], []
    for _ in range(repetitions(size)):
        with (
            tempfile.TemporaryDirectory() as folder,
            Filled(open_store(f"sqlite:///{folder}/bench.db"), encoder=encoder) as services,
        ):
            inserts = BareInserts(Path(folder), made)
            services.workspaces.ensure("bench")
            taken = import_in_turn(services, "bench", made, bare=inserts.insert)
            inserts.close()
        own.append(taken[0])
        bare.append(taken[1])
    yield Row(
        name="import_embedded",
        size=size,
        seconds=median(own),
        baseline="the same objects and vectors into a SQLite table, in the same batches",
        baseline_seconds=median(bare),
        note=f"{size / median(own):,.0f} objects/s with 384-d embeddings, encoding apart",
    )


def repetitions(size: int) -> int:
    """Enough to have thirty batches."""
    return max(1, min(8, ENOUGH_ROWS // size))


def import_in_turn(
    services: Filled, workspace: str, made: Warehouse, *, bare: Callable[[Sequence[DataObject]], None]
) -> tuple[float, float]:
    """Seconds of the import, and of `bare` over the same objects in the same batches."""
    objects = sorted(made.catalogue.objects, key=lambda item: (item.kind != "table", item.id))
    done, spent = 0, 0.0

    def batch_done(now: int, _total: int | None) -> None:
        nonlocal done, spent
        batch = objects[done:now]
        if batch:
            spent += timed(lambda: bare(batch))
        done = now

    begin = perf_counter()
    report = services.catalogue.import_catalogue(workspace, made.catalogue, progress=batch_done)
    taken = perf_counter() - begin - spent
    assert report.imported == len(objects), report
    return taken, spent


class BareInserts:
    """One table, one transaction a batch."""

    def __init__(self, folder: Path, made: Warehouse) -> None:
        self._vectors = dict(zip((item.id for item in made.catalogue.objects), made.texts, strict=False))
        self._encoder = warm_encoder(made)
        self._database = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("CREATE TABLE bare (id TEXT PRIMARY KEY, body TEXT, vector BLOB)")

    def insert(self, objects: Sequence[DataObject]) -> None:
        matrix = self._encoder.encode([self._vectors[item.id] for item in objects])
        rows = ((item.id, json.dumps(asdict(item)), row.tobytes()) for item, row in zip(objects, matrix, strict=True))
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT INTO bare VALUES (?, ?, ?)", rows)
        self._database.execute("COMMIT")

    def close(self) -> None:
        self._database.close()
