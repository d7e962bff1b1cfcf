"""The live set of a session in the embedded store: walks over a NetworkX graph of its live chunks.

The same sums in the same order as `cypher/premises/live_set.cypher`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import networkx as nx

from graph.embedded.session_state import SessionState
from graph.premises import Live, Spread, most_live_first


def live_set(
    state: SessionState,
    *,
    relevance: Mapping[str, float],
    roots: Collection[str] | None,
    spread: Spread,
    factors: Sequence[float],
    weight: float,
    depth: int,
) -> tuple[Live, ...]:
    """See `graph.premises.Premises.live_set`."""
    graph = _live_graph(state)
    own = {chunk: float(relevance.get(chunk, 0.0)) for chunk in graph}
    chosen = None if roots is None else set(roots)
    start = [chunk for chunk in graph if chosen is None or chunk in chosen]
    if spread == "closure":
        gains = {chunk: max((0.0, *(own[it] for it in nx.descendants(graph, chunk)))) for chunk in graph}
    elif spread == "sum":
        gains = _walked(graph, own, factors)
    else:
        reached = _walked(graph, dict.fromkeys(start, 1.0), factors)
        gains = {chunk: float(gain > 0) for chunk, gain in reached.items()}
    return most_live_first(
        Live(
            chunk=chunk,
            position=state.chunks[chunk].position,
            liveness=own[chunk] + weight * gains[chunk],
            path=path,
        )
        for chunk, path in _shortest_paths(graph, start, depth=depth).items()
    )


def _live_graph(state: SessionState) -> nx.DiGraph[str]:
    """Live chunks, and the premises of each, in order of position."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    at = (state.chunks[state.at[position]] for position in state.positions())
    graph.add_nodes_from(chunk.id for chunk in at if chunk.archived_at is None)
    for chunk in list(graph):
        needed = [it.premise for it in state.premises_of(chunk) if it.premise in graph]
        needed.sort(key=lambda premise: state.chunks[premise].position)
        graph.add_edges_from((chunk, premise) for premise in needed)
    return graph


def _walked(graph: nx.DiGraph[str], start: Mapping[str, float], factors: Sequence[float]) -> dict[str, float]:
    """sum over k of factors[k - 1] times the sum over walks of k hops; each hop from the sums of the one before."""
    total = dict.fromkeys(graph, 0.0)
    wave = start
    for factor in factors:
        following: dict[str, float] = {}
        for chunk in graph:  # by position, so that sums have one order
            if chunk in wave:
                for premise in graph.adj[chunk]:
                    following[premise] = following.get(premise, 0.0) + wave[chunk]
        for chunk, value in following.items():
            total[chunk] += factor * value
        wave = following
    return total


def _shortest_paths(graph: nx.DiGraph[str], roots: Sequence[str], *, depth: int) -> dict[str, tuple[str, ...]]:
    """Breadth first from all roots, premises by position: of shortest paths the one with the least positions."""
    paths: dict[str, tuple[str, ...]] = {root: (root,) for root in roots}
    wave = list(roots)
    for _ in range(depth):
        following = []
        for chunk in wave:
            for premise in graph.adj[chunk]:
                if premise not in paths:
                    paths[premise] = (*paths[chunk], premise)
                    following.append(premise)
        wave = following
    return paths
