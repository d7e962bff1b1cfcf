"""A live set as the store computes it, over eight premises from every chunk, beside the same sums over arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np

from benchmarks.filling import Filled
from benchmarks.retain_neo4j import SESSION, WORKSPACE, chunks_of, fill_session
from benchmarks.retention_speed import make_log
from benchmarks.rows import Row, in_turn
from benchmarks.servers import drop, opened
from graph.embedded import open_store
from graph.premises import Live
from graph.store import Store
from services.retention.arms import parse_arm
from services.retention.liveness import damped_hops
from services.retention.session_arrays import make_premises

ROUNDS = 5
POLICY = "multi_hop"


def live_set_embedded(size: int) -> Iterator[Row]:
    with closing(open_store("memory://")) as store:
        yield measure(store, size, name="live_set_embedded")


def live_set_neo4j(size: int, *, line: str) -> Iterator[Row]:
    with opened(line) as store:
        try:
            drop(store, WORKSPACE)
            yield measure(store, size, name=f"live_set_{line}")
        finally:
            drop(store, WORKSPACE)


def measure(store: Store, size: int, *, name: str) -> Row:
    random = np.random.default_rng(3)
    texts, edges = make_log(size, shape="anywhere", random=random)
    services = Filled(store)
    services.workspaces.ensure(WORKSPACE)
    services.sessions.create(WORKSPACE, SESSION)
    fill_session(services, chunks_of(texts, edges))
    premises = make_premises(size, edges)
    flow = parse_arm(POLICY).flow(random.random(size))
    relevance = {f"c{place}": value for place, value in enumerate(flow.relevance.tolist())}

    def ask() -> tuple[Live, ...]:
        return store.live_set(
            WORKSPACE, SESSION, relevance=relevance, roots=None, spread=flow.spread, factors=flow.factors,
            weight=flow.weight, depth=0,
        )  # fmt: skip

    def over_arrays() -> object:
        return flow.relevance + flow.weight * damped_hops(flow.relevance, premises, factors=flow.factors)

    found = np.array([it.liveness for it in sorted(ask(), key=lambda it: it.position)])
    equal = len(found) == size and bool(np.allclose(found, over_arrays(), rtol=1e-9, atol=0))
    spent = in_turn(lambda _: ask, lambda _: over_arrays, rounds=ROUNDS, warm=0)
    return Row(
        name=name,
        size=size,
        seconds=spent[0],
        baseline=f"the same sums of `{POLICY}` over arrays",
        baseline_seconds=spent[1],
        note=f"{'equal' if equal else '**not equal**'} to 1e-9; median of {ROUNDS}",
    )
