"""Single durable writes of the embedded store: a memory as POST /memories makes it, and a statement learnt.

Each is acknowledged after its commit; beside it, bare commits of as many bytes to a SQLite file opened in the same way.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.filling import Filled, fill
from benchmarks.rows import Row, in_turn
from benchmarks.synthetic import MEMORY_SHARE, warehouse
from graph.embedded import open_store
from services.catalogue import read_catalogue
from services.memories import Feedback

WRITES = 1_000
STATEMENTS = Path(os.environ.get("RETINUE_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data"
BARE = "one commit of as many bytes to a SQLite file (WAL, synchronous=FULL)"


def write_embedded(size: int) -> Iterator[Row]:
    """Memories of one intent and its objects, confirmed by a person, into a store that holds `size` objects."""
    made, more = warehouse(size), warehouse(size, questions=0, seed=8)
    entries = (more.memories * (WRITES * MEMORY_SHARE // size + 1))[: WRITES + 20]
    with tempfile.TemporaryDirectory() as folder, Filled(open_store(f"sqlite:///{folder}/bench.db")) as services:
        fill(services, "bench", made)
        bare = BareCommits(Path(folder), row_bytes=900)
        confirmed = Feedback(kind="confirmed")
        spent = in_turn(
            lambda n: (
                lambda: services.memories.remember(
                    "bench", f"{entries[n].intent} {n}", entries[n].objects, evidence=confirmed
                )
            ),
            lambda n: lambda: bare.commit(n),
            rounds=WRITES,
            warm=20,
        )
        bare.close()
    yield Row(
        name="write_embedded",
        size=size,
        seconds=spent[0],
        baseline=BARE,
        baseline_seconds=spent[1],
        note=f"{1 / spent[0]:,.0f} memories/s, one at a time, no encoder",
    )


def learn_embedded(size: int) -> Iterator[Row]:
    """Real statements, one at a time, beside a synthetic warehouse of `size` objects in the same workspace."""
    lines = [json.loads(line) for line in (STATEMENTS / "sql" / "bird.jsonl").read_text("utf-8").splitlines()]
    domain = max({line["domain"] for line in lines}, key=lambda name: sum(line["domain"] == name for line in lines))
    own = [line for line in lines if line["domain"] == domain]
    asked = (own * (WRITES // len(own) + 1))[:WRITES]
    with tempfile.TemporaryDirectory() as folder, Filled(open_store(f"sqlite:///{folder}/bench.db")) as services:
        fill(services, "bench", warehouse(size))
        services.catalogue.import_catalogue(
            "bench", read_catalogue(STATEMENTS / "discovery" / "bird" / f"{domain}.json")
        )
        bare = BareCommits(Path(folder), row_bytes=1_300)
        spent = in_turn(
            lambda n: (
                lambda: services.learning.learn(
                    "bench", f"{asked[n]['intent']} {n}", asked[n]["sql"], dialect=asked[n]["dialect"]
                )
            ),
            lambda n: lambda: bare.commit(n),
            rounds=WRITES - 20,
            warm=20,
        )
        bare.close()
    yield Row(
        name="learn_embedded",
        size=size,
        seconds=spent[0],
        baseline=BARE,
        baseline_seconds=spent[1],
        note=f"{1 / spent[0]:,.0f} statements/s of {domain}, one at a time, no encoder",
    )


class BareCommits:
    """A table with a key, and one row a transaction."""

    def __init__(self, folder: Path, *, row_bytes: int) -> None:
        self._database = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("CREATE TABLE bare (number INTEGER PRIMARY KEY, body TEXT)")
        self._body = "b" * row_bytes

    def commit(self, number: int) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("INSERT INTO bare VALUES (?, ?)", (number, self._body))
        self._database.execute("COMMIT")

    def close(self) -> None:
        self._database.close()
