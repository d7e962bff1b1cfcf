"""What the embedded store costs: loading, opening, evidence beside the bare products it stands on, durable writes.

`python benchmarks/embedded_speed.py [--size 100000 ...]`: synthetic vectors (384-d float32), a memory for ten objects.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypeVar

import numpy as np

from graph.embedded import EmbeddedStore, open_store
from graph.values import DataObject, Embeddings, Expectation, FloatArray, Memory, Question, Scores

T = TypeVar("T")

AT = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = 30
WRITES = 1_000
BATCH = 5_000
COLUMNS = 19  # a table, to make twenty objects


def vectors(count: int, *, random: np.random.Generator) -> FloatArray:
    rows = random.standard_normal((count, 384), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def objects() -> Iterator[DataObject]:
    """Tables without end, each before its columns."""
    number = 0
    while True:
        table = f"warehouse.table_{number}"
        yield DataObject(id=table, kind="table", name=f"table_{number}")
        for column in range(COLUMNS):
            name, text = f"column_{column}", f"what column {column} of table {number} says"
            yield DataObject(id=f"{table}.{name}", kind="attribute", name=name, description=text, table=table)
        number += 1


def memory(name: str, found: list[str]) -> Memory:
    return Memory(
        id=f"m_{name}",
        intent_id=f"i_{name}",
        intent=f"the question called {name}",
        objects=tuple(sorted(set(found))),
        state="confirmed",
        created_at=AT,
        last_used_at=AT,
        successes=1,
    )


def fill(store: EmbeddedStore, size: int, *, random: np.random.Generator) -> None:
    store.create_workspace("w", incarnation="bench", at=AT)
    ids: list[str] = []
    for batch in batches(objects(), size):
        own = tuple(it.id for it in batch)
        embeddings = Embeddings(model="m", ids=own, matrix=vectors(len(own), random=random))
        store.save_objects("w", batch, embeddings=embeddings)
        ids += own
    stamp = store.show_stamp("w")
    made = (memory(str(n), [ids[row] for row in random.integers(0, size, 4)]) for n in range(size // 10))
    for batch in batches(made, size // 10):
        intents = tuple(it.intent_id for it in batch)
        embeddings = Embeddings(model="m", ids=intents, matrix=vectors(len(intents), random=random))
        store.save_memories("w", batch, embeddings=embeddings)
        expected = [
            Expectation(
                memory=it.id,
                objects=tuple(ids[row] for row in random.integers(0, size, 50)),
                scores=tuple(random.random(50).tolist()),
                support=0.4,
            )
            for it in batch
        ]
        store.save_expectations("w", expected, stamp=stamp, form="f")


def batches(things: Iterator[T], count: int) -> Iterator[list[T]]:
    first = islice(things, count)
    while batch := list(islice(first, BATCH)):
        yield batch


def question(vector: FloatArray) -> Question:
    names = tuple(f"warehouse.table_{n}.column_1" for n in range(25))
    intents = tuple(f"i_{n}" for n in range(100))
    return Question(
        objects=Scores(ids=names, values=(0.5,) * len(names)),
        intents=Scores(ids=intents, values=(0.3,) * len(intents)),
        vector=vector,
        model="m",
        similarity="mean",
        form="f",
    )


def seconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def measure(size: int, folder: Path) -> None:
    random = np.random.default_rng(7)
    url = f"sqlite:///{folder / f'{size}.db'}"
    store = open_store(url)
    filling = seconds(lambda: fill(store, size, random=random))
    store.close()
    opened: list[EmbeddedStore] = []
    before = resident_megabytes()
    opening = seconds(lambda: opened.append(open_store(url)))
    store, grown = opened[0], resident_megabytes() - before

    matrix, intents = vectors(size, random=random), vectors(size // 10, random=random)
    bare, evidence = [], []
    for asked in vectors(ROUNDS, random=random):
        bare.append(seconds(lambda asked=asked: (matrix @ asked, intents @ asked)))
        evidence.append(seconds(lambda asked=asked: store.evidence("w", question(asked))))
    written = [memory(f"new {n}", ["warehouse.table_1.column_1"]) for n in range(WRITES)]
    writing = [seconds(lambda it=it: store.save_memories("w", [it])) for it in written]
    store.close()
    print(
        f"{size:>8} {filling:8.1f} {opening:8.2f} {grown:8.0f} {1e3 * median(bare):9.2f} {1e3 * median(evidence):9.2f}"
        f" {median(evidence) / median(bare):6.2f} {WRITES / sum(writing):9.0f}"
    )


def resident_megabytes() -> float:
    """What this process holds in memory; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    sizes = parser.parse_args().size
    print(" objects  fill s   open s   + MiB   bare ms  evidence  ratio  writes/s")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(size, Path(folder))


if __name__ == "__main__":
    main()
