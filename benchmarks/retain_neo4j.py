"""What `retain` costs over a session stored in Neo4j, beside fetching the rows that it looks at, one record a row.

Three askers: one that has not asked before, one that asks once more of a session that did not change, and one that
added some chunks since: an agent before its next step.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from statistics import median
from typing import LiteralString

import numpy as np
from neo4j import ManagedTransaction

from benchmarks.filling import Filled
from benchmarks.retention_speed import BUDGET, Synthetic, make_log
from benchmarks.rows import Row, timed
from benchmarks.servers import drop, opened
from graph.neo4j.store import Neo4jStore
from services.retention.session_arrays import IntArray
from services.sessions.inputs import GivenChunk

WORKSPACE, SESSION = "bench-retain", "log"
BATCH = 5_000
ADDED = 20
REPETITIONS = {10_000: 5, 100_000: 2}

CHUNKS = """MATCH (c:Chunk {workspace: $workspace, session: $session, archived: false})
RETURN c.id, c.text, c.position, c.tokens, c.pinned, c.importance, c.vector"""
PREMISES = """MATCH (c:Chunk {workspace: $workspace, session: $session, archived: false})-[p:PREMISE]->(d:Chunk)
WHERE NOT d.archived
RETURN c.position, d.position, p.grade, p.weight"""


class Named(Synthetic):
    """Vectors are kept by the name of the model that made them."""

    name = "synthetic"


def retain_neo4j(size: int, *, line: str) -> Iterator[Row]:
    texts, edges = make_log(size, shape="anywhere", random=np.random.default_rng(3))
    encoder, query = Named(), " ".join(texts[size // 2].split()[:8])
    with opened(line) as store, Filled(store, encoder=encoder) as services:
        try:
            drop(store, WORKSPACE)
            services.workspaces.ensure(WORKSPACE)
            services.sessions.create(WORKSPACE, SESSION)
            filled = timed(partial(fill_session, services, chunks_of(texts, edges)))
            encoded = timed(partial(_ask, services, query=query))
            spent = [
                _round(store, encoder, size=size + ADDED * number, query=query)
                for number in range(REPETITIONS.get(size, 3))
            ]
        finally:
            drop(store, WORKSPACE)
    raw, *own = map(median, zip(*spent, strict=True))
    notes = ("read, vectors and all, and weighed", "nothing changed since", f"{ADDED} chunks were added since")
    for state, seconds, note in zip(("first", "again", "grown"), own, notes, strict=True):
        yield Row(
            name=f"retain_{line}_{state}",
            size=size,
            seconds=seconds,
            baseline="fetching the same rows raw",
            baseline_seconds=raw,
            note=note,
        )
    yield Row(
        name=f"retain_{line}_fill",
        size=size,
        seconds=filled,
        baseline="",
        note=f"{size / filled:,.0f} chunks/s with 1.5 premises each; vectors at first use: {encoded:.1f} s",
    )


def _round(store: Neo4jStore, encoder: Named, *, size: int, query: str) -> tuple[float, float, float, float]:
    """Seconds of the raw rows, then of one who asks for the first time, again, and after an addition."""
    ask = partial(_ask, fresh := Filled(store, encoder=encoder), query=query)
    raw, first = timed(partial(_fetch, store)), timed(ask)
    again = median(timed(ask) for _ in range(5))
    _grow(fresh, size)
    return raw, first, again, timed(ask)


def chunks_of(texts: list[str], edges: IntArray) -> list[GivenChunk]:
    rests_on = {
        int(chunk): tuple(f"c{premise}" for _, premise in own)
        for chunk, own in groupby(edges.tolist(), key=lambda it: it[0])
    }
    return [GivenChunk(id=f"c{i}", text=text, premises=rests_on.get(i, ())) for i, text in enumerate(texts)]


def fill_session(services: Filled, chunks: list[GivenChunk]) -> None:
    for start in range(0, len(chunks), BATCH):
        services.sessions.add_chunks(WORKSPACE, SESSION, chunks[start : start + BATCH])


def _grow(services: Filled, size: int) -> None:
    more = [
        GivenChunk(id=f"c{place}", text=f"note ref_{place} after ref_{place - 3}", premises=(f"c{place - 3}",))
        for place in range(size, size + ADDED)
    ]
    services.sessions.add_chunks(WORKSPACE, SESSION, more)


def _ask(services: Filled, *, query: str) -> object:
    return services.sessions.retain(WORKSPACE, SESSION, query, budget_tokens=BUDGET)


def _fetch(store: Neo4jStore) -> None:
    with store.connection.driver.session() as session:
        for text in (CHUNKS, PREMISES):
            session.execute_read(partial(_rows, text=text))


def _rows(transaction: ManagedTransaction, *, text: LiteralString) -> int:
    return len(list(transaction.run(text, workspace=WORKSPACE, session=SESSION)))
