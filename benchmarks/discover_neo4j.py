"""Whole answers from Neo4j in a workspace of many objects beside nineteen others, and what they stand on.

The largest workspace is asked, then the smallest, then the largest by eight clients at once; last, what the vector
index finds is held to what is there, workspace by workspace.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median

import numpy as np

from benchmarks.bare_queries import BareQueries
from benchmarks.filling import Filled, fill
from benchmarks.kernels import Kernels
from benchmarks.rows import ROUNDS, Row, in_turn
from benchmarks.servers import drop, opened
from benchmarks.synthetic import MEMORY_SHARE, SyntheticEncoder, Warehouse, warehouse
from graph.embeddings import FloatArray
from graph.evidence import Question
from graph.neo4j.store import Neo4jStore

WORKSPACES = 20
SMALLEST = 5
CLIENTS = 8
CLIENT_SECONDS = 2.0
CLIENT_ROUNDS = 5
NEAREST = 10


def discover_neo4j(size: int, *, line: str) -> Iterator[Row]:
    encoder = SyntheticEncoder()
    sizes = [*np.geomspace(SMALLEST, max(SMALLEST, size // 5), WORKSPACES - 1).astype(int).tolist(), size]
    made = {f"bench-{n}": warehouse(own, questions=ROUNDS, seed=n) for n, own in enumerate(sizes)}
    with opened(line) as store, Filled(store, encoder=encoder) as services:
        try:
            drop(store, *made)
            for workspace, own in made.items():
                encoder.encode(own.texts)
                fill(services, workspace, own)
            yield from _answers(services, store, made, encoder=encoder, line=line)
            for workspace, own in made.items():
                yield _recall(store, workspace, own, encoder=encoder, line=line)
        finally:
            drop(store, *made)


def _answers(
    services: Filled, store: Neo4jStore, made: dict[str, Warehouse], *, encoder: SyntheticEncoder, line: str
) -> Iterator[Row]:
    smallest, *_, largest = made
    asked = made[largest].questions
    vectors = encoder.encode(asked)
    registry = services.registries.current(largest)
    kernels = Kernels(registry.cosines("text", "grams"), registry.cosines("intent", "grams"))
    prepared = [kernels.prepared(text, None) for text in asked]
    bare = BareQueries(
        store, largest, model=encoder.name, sizes={"object": len(registry.objects), "intent": len(registry.intents)}
    )

    def stands_on(number: int) -> None:
        bare.both(vectors[number])
        kernels(prepared[number])

    discover = services.discovery.discover
    for text in asked:  # expectations of the memories near a question are made by the first who asks it
        discover(largest, text)
    spent = in_turn(lambda n: lambda: discover(largest, asked[n]), lambda n: lambda: stands_on(n))
    limits = " and ".join(str(limit) for limit in bare.limits.values())
    memories = len(registry.objects) // MEMORY_SHARE
    yield Row(
        name=f"discover_{line}",
        size=len(registry.objects),
        seconds=spent[0],
        baseline="bare vector-index queries over objects and intents, and the lexical kernel",
        baseline_seconds=spent[1],
        note=f"{memories:,} memories, {WORKSPACES} workspaces; bare queries ask for {limits}",
    )
    yield _smallest(services, bare, smallest, made[smallest], vectors=vectors, line=line)
    own, others = _clients(lambda n: discover(largest, asked[n]), lambda n: bare.both(vectors[n]), count=len(asked))
    yield Row(
        name=f"discover_{line}_clients",
        size=len(registry.objects),
        seconds=1 / own,
        baseline="the bare vector-index queries under the same clients",
        baseline_seconds=1 / others,
        note=f"{CLIENTS} clients: {own:.1f} answers/s beside {others:.1f}/s, {own / others:.2f} of it",
    )


def _smallest(
    services: Filled, bare: BareQueries, workspace: str, made: Warehouse, *, vectors: FloatArray, line: str
) -> Row:
    discover, asked = services.discovery.discover, made.questions
    for text in asked:
        discover(workspace, text)
    spent = in_turn(
        lambda n: lambda: discover(workspace, asked[n]),
        lambda n: lambda: bare.ask("object", vectors[n], limit=50),
    )
    return Row(
        name=f"discover_{line}",
        size=len(made.catalogue.objects),
        seconds=spent[0],
        baseline="one bare vector-index query over objects, in the largest workspace",
        baseline_seconds=spent[1],
        note="the smallest of the same workspaces",
    )


def _clients(*calls: Callable[[int], object], count: int) -> list[float]:
    """The median throughput of each call under CLIENTS threads, some seconds the one and some the other."""
    rates: list[list[float]] = [[] for _ in calls]
    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in range(CLIENT_ROUNDS):
            for call, own in zip(calls, rates, strict=True):
                begin = time.perf_counter()
                asking = partial(_ask, call, count=count, since=begin)
                done = sum(pool.map(asking, range(CLIENTS)))
                own.append(done / (time.perf_counter() - begin))
    return [median(own) for own in rates]


def _ask(call: Callable[[int], object], client: int, *, count: int, since: float) -> int:
    done = 0
    while time.perf_counter() - since < CLIENT_SECONDS:
        call((client * 7 + done) % count)
        done += 1
    return done


def _recall(store: Neo4jStore, workspace: str, made: Warehouse, *, encoder: SyntheticEncoder, line: str) -> Row:
    """The ten nearest objects that the evidence shows, beside the ten that all products of vectors give."""
    size = len(made.catalogue.objects)
    matrix, vectors = encoder.encode(made.texts[:size]), encoder.encode(made.questions)
    found: dict[int, list[str]] = {}

    def ask(number: int) -> None:
        found[number] = _nearest(store, workspace, vectors[number], model=encoder.name)

    (spent,) = in_turn(lambda n: lambda: ask(n))
    recalls = []
    for number, vector in enumerate(vectors):
        best = _exact(matrix, vector, made)
        recalls.append(len(best.intersection(found[number])) / len(best))
    return Row(
        name=f"recall_{line}",
        size=size,
        seconds=spent,
        baseline="",
        note=f"recall@{NEAREST} {np.mean(recalls):.4f} over {len(vectors)} questions, the worst {min(recalls):.2f}",
        recall=float(np.mean(recalls)),
    )


def _nearest(store: Neo4jStore, workspace: str, vector: FloatArray, *, model: str) -> list[str]:
    cosines = store.evidence(workspace, Question(vector=vector, model=model, use_memory=False)).cosines
    ranked = sorted((-value, item) for item, value in zip(cosines.ids, cosines.values, strict=True))
    return [item for _, item in ranked[:NEAREST]]


def _exact(matrix: FloatArray, vector: FloatArray, made: Warehouse) -> set[str]:
    cosines = np.round((matrix @ vector).astype(np.float64), 6)
    ids = np.array([item.id for item in made.catalogue.objects])
    return set(ids[np.lexsort((ids, -cosines))[:NEAREST]].tolist())
