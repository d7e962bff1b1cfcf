"""Shortest ways to join tables, told from the references between them: arithmetic that both back ends share.

Which references there are near some tables is for a back end to say; so the answer is the same wherever it comes from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from graph.values import JOIN_STEPS, JoinPath, Reference

REACH = (JOIN_STEPS + 1) // 2
"""How far from each of the tables references are needed: two tables that join meet half way."""

Joint = tuple[str, str, Reference]
"""Two tables, and a reference from a column of either to a column of the other."""


def first_paths(tables: Sequence[str], joints: Iterable[Joint]) -> tuple[JoinPath, ...]:
    """See `graph.ports.Catalogue.join_paths`: `joints` are all those of live tables within REACH of `tables`."""
    joined: dict[str, dict[str, set[Reference]]] = defaultdict(lambda: defaultdict(set))
    for one, other, reference in joints:
        joined[one][other].add(reference)
        joined[other][one].add(reference)
    named = list(dict.fromkeys(tables))
    distances = {end: _distances(joined, end) for end in named}
    return tuple(
        _path(joined, start, distances[end])
        for position, start in enumerate(named)
        for end in named[position + 1 :]
        if start in distances[end]
    )


def _distances(joined: Mapping[str, Mapping[str, object]], start: str) -> dict[str, int]:
    """The tables within JOIN_STEPS of `start`, each with its distance."""
    away = {start: 0}
    frontier = [start]
    for step in range(1, JOIN_STEPS + 1):
        reached = {other for table in frontier for other in joined.get(table, ())} - away.keys()
        away |= dict.fromkeys(reached, step)
        frontier = list(reached)
    return away


def _path(joined: Mapping[str, Mapping[str, set[Reference]]], start: str, away: Mapping[str, int]) -> JoinPath:
    """The shortest path to where `away` counts from; at each step the smallest id that is nearer."""
    tables = [start]
    while distance := away[tables[-1]]:
        tables.append(min(other for other in joined[tables[-1]] if away.get(other) == distance - 1))
    return JoinPath(tables=tuple(tables), steps=tuple(tuple(sorted(joined[a][b])) for a, b in pairwise(tables)))
