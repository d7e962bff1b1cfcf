"""The catalogue: data objects, the references between them, and the port that stores them.

Reading catalogue files and ranking objects are the services' affair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol

from graph.embeddings import Embeddings
from graph.workspaces import Stamp

ObjectKind = Literal["table", "attribute"]
JOIN_STEPS = 6  # references on the longest path between two tables


@dataclass(frozen=True, slots=True, kw_only=True)
class DataObject:
    """A table or an attribute (column). `table` is the id of an attribute's table, None for a table.

    `source` names where it was imported from. A gone object is kept, out of every answer, until it comes back
    or is removed. `folded` is the text that `containing` filters and people's full-text search look at, made by
    the services' tokeniser (case and accents folded); it is derived and takes no part in equality.
    """

    id: str
    kind: ObjectKind
    name: str
    description: str = ""
    table: str | None = None
    data_type: str | None = None
    source: str = ""
    gone: bool = False
    folded: str = field(default="", compare=False)


Reference = tuple[str, str]
"""Two attribute ids: the first refers to (is a foreign key of) the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinPath:
    """How two tables join: the tables from the one to the other, and for each step between two of them all references
    that lead from either to the other, sorted (several columns of one key, or several keys)."""

    tables: tuple[str, ...]
    steps: tuple[tuple[Reference, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueSaved:
    """What a write to the catalogue did beyond itself: memories that it suspended or brought back (ids, sorted)."""

    stamp: Stamp
    suspended: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsRemoved:
    """The ids that are gone for good (a table's attributes go with it), sorted, and the memories it suspended."""

    ids: tuple[str, ...]
    suspended: tuple[str, ...] = ()


REACH = (JOIN_STEPS + 1) // 2
"""How far from each of the tables references are needed: two tables that join meet half way."""

Joint = tuple[str, str, Reference]
"""Two tables, and a reference from a column of either to a column of the other."""


def first_paths(tables: Sequence[str], joints: Iterable[Joint]) -> tuple[JoinPath, ...]:
    """See `graph.catalogue.Catalogue.join_paths`: `joints` are all those of live tables within REACH of `tables`."""
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


class Catalogue(Protocol):
    """Tables, attributes, and references between attributes."""

    def save_objects(
        self,
        workspace: str,
        objects: Sequence[DataObject],
        *,
        references: Sequence[Reference] = (),
        dropped_references: Sequence[Reference] = (),
        gone: Sequence[str] = (),
        embeddings: Embeddings | None = None,
    ) -> CatalogueSaved:
        """Creates or replaces `objects` (they are live afterwards), adds and drops references, then marks `gone`, which
        may name some of `objects`: they are stored as they are given, and gone.

        An embedding that is not given stays only where table, name and description are as they were. Memories that
        name an object now gone are suspended, those whose objects are all live again are restored. Raises
        `UnknownObjects` (and writes nothing) where an attribute's table or an end of an added reference is neither in
        the workspace nor among `objects`, or an id of `gone` is not in the workspace. References that exist, and
        dropped ones that do not, are passed over. Where nothing would change, the version stays as it is.
        """
        ...

    def show_objects(self, workspace: str, ids: Sequence[str]) -> tuple[DataObject, ...]:
        """Those of `ids` that are there, gone ones too, by id."""
        ...

    def list_objects(
        self,
        workspace: str,
        *,
        kind: ObjectKind | None = None,
        containing: Sequence[str] = (),
        tables: Sequence[str] | None = None,
        source: str | None = None,
        gone: bool | None = False,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[DataObject, ...]:
        """At most `limit` objects by id, those after `after`. `containing`: each part is in `folded`; `tables`: the
        attributes of these tables only; `gone` None: live and gone ones."""
        ...

    def list_references(self, workspace: str, ids: Sequence[str]) -> tuple[Reference, ...]:
        """The references with at least one end among `ids`, sorted."""
        ...

    def join_paths(self, workspace: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
        """For each two of these tables, the earlier named first, the shortest path between them over references, of
        JOIN_STEPS steps at most; of several the one whose tables come first by id. Live tables and attributes alone
        join; two that do not join have no path. In the order of the pairs."""
        ...

    def remove_objects(self, workspace: str, ids: Sequence[str], *, stamp: Stamp | None = None) -> ObjectsRemoved:
        """Deletes those of `ids` that are there with all their relationships, a table with its attributes. Memories
        keep naming them, and are suspended until objects of these ids come back. With a `stamp`, raises
        `StaleRevision` (and deletes nothing) where the catalogue has moved on since."""
        ...
