"""How the tables of an answer join: a tree over references from the best table, with the tables between.

Each table is attached where that takes the fewest steps; pure, but for one read of the catalogue.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from graph.catalogue import Catalogue, JoinPath, Reference
from services.discovery.answers import Hit, JoinStep, JoinTree

MOST_TABLES = 25  # at most so many are joined, the best; a path is searched between each two

Steps = tuple[tuple[Reference, ...], ...]


def join_hits(catalogue: Catalogue, workspace: str, hits: Sequence[Hit]) -> JoinTree | None:
    """The tree that joins the tables of the hits; None without hits."""
    tables = list(dict.fromkeys(_table(hit) for hit in hits))
    if not tables:
        return None
    joined = tables[:MOST_TABLES]
    paths = catalogue.join_paths(workspace, joined) if len(joined) > 1 else ()
    return join_tree(joined, paths, hits)


def join_tree(tables: Sequence[str], paths: Sequence[JoinPath], hits: Sequence[Hit]) -> JoinTree:
    """The tree of these tables (best first); of equally short attachments, that between the better tables."""
    known = _both_ways(paths)
    parents: dict[str, tuple[str, tuple[Reference, ...]] | None] = {tables[0]: None}
    waiting = list(tables[1:])
    while waiting:
        choices = [
            (cut, waiting.index(table), tables.index(end), table, end)
            for table in waiting
            for end in tables
            if end in parents and (table, end) in known and (cut := _cut(known[table, end][0], parents))
        ]
        if not choices:
            break
        cut, _, _, table, end = min(choices)
        route, steps = known[table, end]
        for (child, parent), references in list(zip(pairwise(route), steps, strict=True))[:cut]:
            parents[child] = (parent, references)
        waiting = [it for it in waiting if it not in parents]
    return _tree(tables[0], parents, hits)


def _both_ways(paths: Sequence[JoinPath]) -> dict[tuple[str, str], tuple[tuple[str, ...], Steps]]:
    there = {(path.tables[0], path.tables[-1]): (path.tables, path.steps) for path in paths}
    back = {(path.tables[-1], path.tables[0]): (path.tables[::-1], path.steps[::-1]) for path in paths}
    return there | back


def _cut(route: Sequence[str], parents: Mapping[str, object]) -> int:
    """The number of steps from the route's start to the tree."""
    return next(position for position, table in enumerate(route) if table in parents)


def _tree(root: str, parents: Mapping[str, tuple[str, tuple[Reference, ...]] | None], hits: Sequence[Hit]) -> JoinTree:
    """The steps outwards from the root, depth first in the order of attachment, each with the hits that need it."""
    serves: dict[str, list[str]] = {table: [] for table in parents}
    for hit in hits:
        at = _table(hit)
        link = parents.get(at)
        while link is not None:
            serves[at].append(hit.id)
            at = link[0]
            link = parents[at]
    steps: list[JoinStep] = []

    def walk(table: str) -> None:
        for child, link in parents.items():
            if link is not None and link[0] == table:
                steps.append(JoinStep(start=table, end=child, references=link[1], serves=tuple(serves[child])))
                walk(child)

    walk(root)
    named = {_table(hit) for hit in hits}
    return JoinTree(
        root=root,
        steps=tuple(steps),
        added=tuple(step.end for step in steps if step.end not in named),
        unconnected=tuple(hit.id for hit in hits if _table(hit) not in parents),
    )


def _table(hit: Hit) -> str:
    return hit.id if hit.table is None else hit.table
