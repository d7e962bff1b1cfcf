"""A small made-up database for a bundled domain, as an SQL script, so that its tasks' statements have rows to find.

What a column may hold stands in `rows/NAME.toml`; the rows follow from it and the names alone, the same every time.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from graph.catalogue import DataObject
from services.domains import OPAQUE, BundledDomain, load_domain

RECIPES = Path(__file__).parent / "rows"
BATCH = 200
T = TypeVar("T")
Value = str | int | float | None
Row = dict[str, Value]
Draw = Callable[[], float]


def sample_script(domain: BundledDomain) -> str:
    """SQL (SQLite's) that makes the domain's tables and fills them; of an opaque variant, the same rows."""
    if domain.name.endswith(OPAQUE):
        plain = load_domain(domain.name.removesuffix(OPAQUE))
        return sample_script(plain) + "".join(_renamings(plain, domain))
    return "".join(_statements(domain, _Rows(domain)))


class _Rows:
    """The rows of each table, made when they are first asked for: a reference draws from the table that it is to."""

    def __init__(self, domain: BundledDomain) -> None:
        recipes = (RECIPES / f"{domain.name}.toml").read_text(encoding="utf-8")
        self._domain = domain
        self._recipes: dict[str, dict[str, Any]] = tomllib.loads(recipes)
        self._targets = dict(domain.references)
        self._made: dict[str, list[Row]] = {}

    def of(self, table: str) -> list[Row]:
        if table not in self._made:
            recipes = self._recipes[table]
            columns = _columns(self._domain, table)
            draw = Random(f"{self._domain.name}/{table}").random
            rows: list[Row] = []
            for number in range(recipes["rows"]):
                row: Row = {}
                for column in columns:
                    row[column.name] = self._value(column, recipes.get(column.name), row, number, draw)
                rows.append(row)
            self._made[table] = rows
        return self._made[table]

    def _value(self, column: DataObject, recipe: Any, row: Row, number: int, draw: Draw) -> Value:
        if recipe is None and column.id in self._targets:
            table, name = self._targets[column.id].split(".", 1)
            return _pick(self.of(table), draw)[name]
        if recipe is None:
            return number + 1 if column.data_type == "integer" else None
        if isinstance(recipe, list):
            recipe = {"of": recipe}
        if draw() < recipe.get("empty", 0):
            return None
        values: Sequence[Value]
        if "of" in recipe:
            values = recipe["of"]
            return _pick(values, draw)
        if "each" in recipe:
            values = recipe["each"]
            return values[number]
        if "after" in recipe:
            started = date.fromisoformat(str(row[recipe["after"]]))
            soonest, latest = recipe["days"]
            return (started + timedelta(days=_between(soonest, latest, draw))).isoformat()
        return _within(recipe["from"], recipe["to"], draw)


def _within(start: Any, end: Any, draw: Draw) -> Value:
    """A number, a day or a time of day between the two, of their kind."""
    match start:
        case date():
            return (start + timedelta(days=_between(0, (end - start).days, draw))).isoformat()
        case str():
            minutes = _between(_minutes(start), _minutes(end), draw)
            return f"{minutes // 60:02}:{minutes % 60:02}"
        case int():
            return _between(start, end, draw)
        case _:
            return round(float(start + (end - start) * draw()), 2)


def _between(start: int, end: int, draw: Draw) -> int:
    return start + int((end - start + 1) * draw())


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def _pick(values: Sequence[T], draw: Draw) -> T:
    return values[int(len(values) * draw())]


def _columns(domain: BundledDomain, table: str) -> list[DataObject]:
    return [entry for entry in domain.objects if entry.table == table]


def _statements(domain: BundledDomain, rows: _Rows) -> Iterator[str]:
    for table in (entry for entry in domain.objects if entry.kind == "table"):
        typed = ", ".join(f"{_quoted(it.name)} {it.data_type}" for it in _columns(domain, table.id))
        yield f"CREATE TABLE {_quoted(table.name)} ({typed});\n"
        lines = [f"({', '.join(map(_literal, row.values()))})" for row in rows.of(table.id)]
        for start in range(0, len(lines), BATCH):
            yield f"INSERT INTO {_quoted(table.name)} VALUES\n"
            yield ",\n".join(lines[start : start + BATCH]) + ";\n"


def _renamings(plain: BundledDomain, opaque: BundledDomain) -> Iterator[str]:
    """Columns first, while their tables still have their names."""
    names = {entry.id: entry.name for entry in plain.objects}
    pairs = list(zip(plain.objects, opaque.objects, strict=True))
    for old, new in pairs:
        if old.table:
            table = _quoted(names[old.table])
            yield f"ALTER TABLE {table} RENAME COLUMN {_quoted(old.name)} TO {_quoted(new.name)};\n"
    for old, new in pairs:
        if not old.table:
            yield f"ALTER TABLE {_quoted(old.name)} RENAME TO {_quoted(new.name)};\n"


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    return "'{}'".format(value.replace("'", "''")) if isinstance(value, str) else repr(value)


def _quoted(name: str) -> str:
    return f'"{name}"'
