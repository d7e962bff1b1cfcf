"""The catalogue: data objects, the references between them, and the port that stores them.

Reading catalogue files and ranking objects are the services' affair.
"""

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
    """The stamp after a write to the catalogue, and the memories that it suspended or restored (ids, sorted)."""

    stamp: Stamp
    suspended: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsRemoved:
    """The deleted ids (a table's attributes among them), sorted, and the memories that were suspended."""

    ids: tuple[str, ...]
    suspended: tuple[str, ...] = ()


REACH = (JOIN_STEPS + 1) // 2
"""How far from each of the tables references are needed: two tables that join meet half way."""

Joint = tuple[str, str, Reference]
"""Two tables, and a reference from a column of either to a column of the other."""


def first_paths(tables: Sequence[str], joints: Iterable[Joint]) -> tuple[JoinPath, ...]:
    """Return the paths of `Catalogue.join_paths`; `joints` are all joints of live tables within REACH of `tables`."""
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
    """Return the tables within JOIN_STEPS of `start`, with their distances (breadth first)."""
    away = {start: 0}
    frontier = [start]
    for step in range(1, JOIN_STEPS + 1):
        reached = {other for table in frontier for other in joined.get(table, ())} - away.keys()
        away |= dict.fromkeys(reached, step)
        frontier = list(reached)
    return away


def _path(joined: Mapping[str, Mapping[str, set[Reference]]], start: str, away: Mapping[str, int]) -> JoinPath:
    """Return the shortest path to the origin of `away`; at each step the smallest id that is nearer."""
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
        """Upsert `objects` as live, add and drop references, then mark `gone` ids, which may be among `objects`.

        An embedding that is not given stays only if table, name and description are unchanged. Memories that name an
        object now gone are suspended, those whose objects are all live again are restored. References that exist, and
        dropped ones that do not, are ignored. If nothing changes, the version stays.

        Raises `UnknownObjects`, and writes nothing, if an attribute's table or an end of an added reference is neither
        in the workspace nor among `objects`, or an id of `gone` is not in the workspace.
        """

    def show_objects(self, workspace: str, ids: Sequence[str]) -> tuple[DataObject, ...]:
        """Return the objects among `ids` that exist, gone ones too, by id."""

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
        """Return at most `limit` objects by id, after the id `after`. `containing`: each part is in `folded`; `tables`:
        only the attributes of these tables; `gone` None: live and gone objects."""

    def list_references(self, workspace: str, ids: Sequence[str]) -> tuple[Reference, ...]:
        """Return the references with at least one end among `ids`, sorted."""

    def join_paths(self, workspace: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
        """Return the shortest path over references between each two of these tables that join, of JOIN_STEPS steps at
        most, in the order of the pairs, the table named earlier first. Only live tables and attributes join; of several
        paths the one whose tables come first by id."""

    def remove_objects(self, workspace: str, ids: Sequence[str], *, stamp: Stamp | None = None) -> ObjectsRemoved:
        """Delete the objects among `ids` with their relationships, a table with its attributes. Memories keep naming
        them, and are suspended until objects of these ids exist again.

        Raises `StaleRevision`, and deletes nothing, if `stamp` is given and the catalogue has changed since."""
