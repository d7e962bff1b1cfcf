"""The tables of a script so far: created, altered, commented, dropped, in the order of its statements.

Names are kept as first written and found in any case; ids are made at the end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graph.catalogue import Reference
from services.catalogue.ids import make_id
from services.catalogue.values import Rejected, Unusable

Path = tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class DdlColumn:
    name: str
    data_type: str | None = None
    description: str = ""


@dataclass(slots=True, kw_only=True)
class ForeignKey:
    """`there` is empty where the key refers to the other table's primary key."""

    here: list[str]
    table: Path
    there: list[str]


@dataclass(slots=True, kw_only=True)
class DdlTable:
    path: Path
    description: str = ""
    columns: dict[str, DdlColumn] = field(default_factory=dict)
    primary_key: list[str] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)

    def add(self, column: DdlColumn) -> None:
        if column.name.casefold() in self.columns:
            raise Unusable(f"column {column.name!r} comes twice")
        self.columns[column.name.casefold()] = column

    def column(self, name: str) -> DdlColumn:
        found = self.columns.get(name.casefold())
        if found is None:
            raise Unusable(f"table {'.'.join(self.path)!r} has no column {name!r} here")
        return found

    def rename(self, name: str, to: str) -> None:
        column = self.column(name)
        column.name = to
        self.columns = {item.name.casefold(): item for item in self.columns.values()}
        self.primary_key = [to if key.casefold() == name.casefold() else key for key in self.primary_key]
        for foreign in self.foreign_keys:
            foreign.here = [to if key.casefold() == name.casefold() else key for key in foreign.here]

    def id_of(self, column: str) -> str:
        return make_id((*self.path, self.column(column).name))


class Tables:
    """By path, in the order of creation."""

    def __init__(self) -> None:
        self._tables: dict[Path, DdlTable] = {}

    def __iter__(self) -> Iterator[DdlTable]:
        return iter(list(self._tables.values()))

    def create(self, table: DdlTable, *, replace: bool = False, if_not_exists: bool = False) -> None:
        key = _folded(table.path)
        if key in self._tables and if_not_exists:
            return
        if key in self._tables and not replace:
            raise Unusable(f"table {'.'.join(table.path)!r} is created twice; the first is taken")
        self._tables[key] = table

    def find(self, path: Path, *, beside: Path = ()) -> DdlTable | None:
        """The table of this path; without a schema, one in the schema of the table `beside` it, else the only one of
        this name."""
        wanted = _folded(path)
        if wanted in self._tables:
            return self._tables[wanted]
        if neighbour := self._tables.get((*_folded(beside)[:-1], *wanted)):
            return neighbour
        ending = [
            table
            for key, table in self._tables.items()
            if key[-min(len(key), len(wanted)) :] == wanted[-min(len(key), len(wanted)) :]
        ]
        return ending[0] if len(ending) == 1 else None

    def get(self, path: Path) -> DdlTable:
        found = self.find(path)
        if found is None:
            raise Unusable(f"table {'.'.join(path)!r} is not created before it")
        return found

    def drop(self, path: Path) -> None:
        if (found := self.find(path)) is not None:
            del self._tables[_folded(found.path)]

    def rename(self, path: Path, name: Path) -> None:
        """Gives a table another name, in its schema where none is said; keys that refer to it follow."""
        table = self.get(path)
        referring = [key for it in self for key in it.foreign_keys if self.find(key.table, beside=it.path) is table]
        del self._tables[_folded(table.path)]
        table.path = name if len(name) > 1 else (*table.path[:-1], *name)
        for key in referring:
            key.table = table.path
        self.create(table)

    def references(self) -> tuple[list[Reference], list[Rejected]]:
        """Pairs of attribute ids; and the foreign keys that have none, each with the reason."""
        pairs: list[Reference] = []
        broken: list[Rejected] = []
        for table in self:
            for key in table.foreign_keys:
                try:
                    pairs += _pairs(table, key, self.find(key.table, beside=table.path))
                except Unusable as error:
                    label = f"foreign key of {'.'.join(table.path)} to {'.'.join(key.table)}"
                    broken.append(Rejected(item=label, reason=str(error)))
        return pairs, broken


def _pairs(table: DdlTable, key: ForeignKey, other: DdlTable | None) -> Sequence[tuple[str, str]]:
    there = key.there or ([] if other is None else other.primary_key)
    if len(there) != len(key.here):
        raise Unusable(f"it names {len(key.here)} columns here and {len(there)} there")
    here = [table.id_of(name) for name in key.here]
    # a table that the script does not create may be in the workspace
    referred = [other.id_of(name) if other else make_id((*key.table, name)) for name in there]
    return list(zip(here, referred, strict=True))


def _folded(path: Path) -> Path:
    return tuple(part.casefold() for part in path)
