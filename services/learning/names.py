"""Look up tables and columns of a catalogue by the names in a statement.

Ids are never parsed for columns: an attribute belongs to its `table`, whatever its id.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeVar

from graph.catalogue import DataObject
from services.catalogue.ids import split_id

T = TypeVar("T")

Ids = frozenset[str]
"""Attribute ids that a name stands for: none for a computed column, several where a set operation merges some."""

COMPUTED: Ids = frozenset()

# Quoted names are exact there, and unquoted ones are folded so; elsewhere quoting does not change what matches.
_LOWER = frozenset({"postgres", "materialize", "risingwave"})
_UPPER = frozenset({"snowflake", "oracle", "exasol"})


class Lookup(Enum):
    """A look-up that found several things."""

    AMBIGUOUS = "ambiguous"


Found = Ids | Literal[Lookup.AMBIGUOUS] | None


@dataclass(frozen=True, slots=True)
class Name:
    """A name as a statement writes it."""

    text: str
    quoted: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Relation:
    """The columns of an item of FROM. `columns`: by folded name, each spelling with its objects.

    `table` is the id of a catalogue table. The columns of an `unknown` relation are not known; a `function` may have
    more columns, none of them the catalogue's. `aligned`: `columns` has one name for each of its columns.
    """

    table: str | None = None
    columns: dict[str, list[tuple[str, Ids]]] = field(default_factory=dict)
    unknown: bool = False
    function: bool = False
    aligned: bool = True

    def add(self, name: str, ids: Ids) -> None:
        """Add a column unless it is there already, so that stars over stars cannot grow without bound."""
        spellings = self.columns.setdefault(fold_name(name), [])
        self.aligned = self.aligned and not spellings
        if (name, ids) not in spellings:
            spellings.append((name, ids))

    def find(self, name: Name, *, dialect: str) -> Found:
        """The objects of a column's name; None if there is no such column."""
        spellings = self.columns.get(fold_name(name.text))
        chosen = _choose(spellings, name, dialect=dialect) if spellings else []
        if not chosen:
            return None
        return chosen[0] if all(ids == chosen[0] for ids in chosen) else Lookup.AMBIGUOUS


class Schema:
    """The live tables and columns of a catalogue, for many statements."""

    def __init__(self, objects: Iterable[DataObject]) -> None:
        live = sorted((item for item in objects if not item.gone), key=lambda item: item.id)
        self.objects = {item.id: item for item in live}
        relations = {item.id: Relation(table=item.id) for item in live if item.kind == "table"}
        self._paths: dict[str, list[tuple[tuple[str, ...], Relation]]] = defaultdict(list)
        self._dotted: dict[str, list[tuple[str, Relation]]] = defaultdict(list)
        for item in live:
            if item.kind == "attribute" and item.table in relations:
                relations[item.table].add(item.name, frozenset((item.id,)))
            elif item.kind == "table":
                path = _path(item)
                self._paths[fold_name(path[-1])].append((path, relations[item.id]))
                self._dotted[fold_name(item.name)].append((item.name, relations[item.id]))

    def table(self, path: Sequence[Name], *, dialect: str) -> Relation | Literal[Lookup.AMBIGUOUS] | None:
        """Find the table of a path (catalogue and schema if written, the name last); None if there is none.

        A schema is ignored where the catalogue has none for the table, and must match where it has one.
        """
        wanted = tuple(fold_name(part.text) for part in path)
        found = [
            (fit, written[-1], relation)
            for written, relation in self._paths.get(wanted[-1], ())
            if (fit := _fit(written, wanted)) is not None
        ]
        best = max((fit for fit, _, _ in found), default=None)
        spelled = [(last, relation) for fit, last, relation in found if fit == best]
        if not found:
            dotted = ".".join(part.text for part in path)
            spelled = self._dotted.get(fold_name(dotted), [])
            path = (Name(dotted, path[-1].quoted),)
        chosen = _choose(spelled, path[-1], dialect=dialect)
        if not chosen:
            return None
        return chosen[0] if len(chosen) == 1 else Lookup.AMBIGUOUS


def fold_name(name: str) -> str:
    """Fold a name for comparison without case."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def _choose(spellings: Sequence[tuple[str, T]], name: Name, *, dialect: str) -> list[T]:
    """Of spellings that differ by case: the exact one first, then the one that the dialect folds the name to."""
    exact = [value for spelling, value in spellings if spelling == name.text]
    if name.quoted and (exact or dialect in _LOWER or dialect in _UPPER):
        return exact
    if len(spellings) > 1 and not name.quoted and (dialect in _LOWER or dialect in _UPPER):
        folded = name.text.lower() if dialect in _LOWER else name.text.upper()
        exact = [value for spelling, value in spellings if spelling == folded] or exact
    return exact or [value for _, value in spellings]


def _path(table: DataObject) -> tuple[str, ...]:
    """The table's name with what its id says about its schema, where the id ends in the name."""
    name, full = split_id(table.name), split_id(table.id)
    return full if full[-len(name) :] == name else name


def _fit(written: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[int, int] | None:
    overlap = min(len(written), len(wanted))
    if any(fold_name(a) != b for a, b in zip(written[-overlap:], wanted[-overlap:], strict=True)):
        return None
    return overlap, -abs(len(written) - len(wanted))
