"""`retain` at 10,000 chunks beside two plain ways to the same answer: closures over networkx, and over lists alone.

Both baselines get the cosines, as `retain` does, and keep the same chunks; the policy is `closure`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import networkx as nx
import numpy as np

from benchmarks.retention_speed import BUDGET, Synthetic, make_log
from benchmarks.rows import Row, in_turn
from services.retention.relevance import DenseRelevance
from services.retention.retaining import retain
from services.retention.session_arrays import make_chunks, make_premises
from services.retention.sessions import SessionArrays

Closures = Callable[[int], set[int]]
ROUNDS = 5


def with_networkx(graph: nx.DiGraph[int]) -> Closures:
    return lambda chunk: nx.descendants(graph, chunk) - {chunk}


def with_lists(premises: Sequence[Sequence[int]]) -> Closures:
    def closure(chunk: int) -> set[int]:
        waiting, seen = [chunk], {chunk}
        while waiting:
            for premise in premises[waiting.pop()]:
                if premise not in seen:
                    seen.add(premise)
                    waiting.append(premise)
        return seen - {chunk}

    return closure


def keep(cosines: Sequence[float], tokens: Sequence[int], closure: Closures, *, budget: int) -> list[int]:
    """The closure policy as its formula says it."""
    below = [closure(chunk) for chunk in range(len(cosines))]
    scores = [
        own + max((max(cosines[i], 0.0) for i in rest), default=0.0) for own, rest in zip(cosines, below, strict=True)
    ]
    kept: dict[int, None] = {}
    for head in sorted(range(len(scores)), key=lambda chunk: -scores[chunk]):
        group = [chunk for chunk in (head, *sorted(below[head])) if chunk not in kept]
        cost = sum(tokens[chunk] for chunk in group)
        if head not in kept and cost <= budget:
            budget -= cost
            kept |= dict.fromkeys(group)
    return list(kept)


def retain_10k(size: int) -> Iterator[Row]:
    random = np.random.default_rng(3)
    texts, edges = make_log(size, shape="episodes", random=random)
    encoder = Synthetic()
    chunks = make_chunks(texts, tokens=random.integers(20, 120, size=size))
    index = DenseRelevance(encoder, texts=texts, matrix=encoder.encode(texts))
    session = SessionArrays(chunks, premises=make_premises(size, edges), index=index)
    session.warm()
    cosines = index.score_vector(encoder.encode([""])[0])
    plain, costs = cosines.tolist(), chunks.tokens.tolist()
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from(map(tuple, edges.tolist()))
    lists = [session.premises.of(chunk) for chunk in range(size)]
    ours = partial(retain, session, "", budget_tokens=BUDGET, policy="closure", cosines=cosines)
    for name, closure in (("networkx", with_networkx(graph)), ("lists", with_lists(lists))):
        theirs = partial(keep, plain, costs, closure, budget=BUDGET)
        note = "the same chunks in the same order" if list(ours().kept) == theirs() else "**not the same chunks**"
        spent = in_turn(lambda _: ours, lambda _, call=theirs: call, rounds=ROUNDS, warm=0)
        yield Row(
            name=f"retain_10k_{name}", size=size, seconds=spent[0], baseline=f"plain, over {name}",
            baseline_seconds=spent[1], note=f"{note}; median of {ROUNDS}",
        )  # fmt: skip
