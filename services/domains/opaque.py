"""A domain under opaque names (`t03`, `t03.c07`), without descriptions: the same data, the same tasks.

The names are numbers in the order of the domain's file; the statements are renamed through their scopes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from graph.catalogue import DataObject

if TYPE_CHECKING:
    from services.domains import BundledDomain, BundledTask


def opaque(domain: BundledDomain, *, name: str) -> BundledDomain:
    """Return the variant under its own name, objects in the domain's order."""
    ids = _numbered(domain.objects)
    objects = tuple(_hidden(entry, ids, source=name) for entry in domain.objects)
    references = tuple((ids[start], ids[end]) for start, end in domain.references)
    return replace(
        domain,
        name=name,
        title=f"{domain.title}, names hidden",
        text=_text(objects, references),
        objects=objects,
        references=references,
        tasks=tuple(_renamed(task, domain.objects, ids) for task in domain.tasks),
    )


def _numbered(objects: tuple[DataObject, ...]) -> dict[str, str]:
    ids: dict[str, str] = {}
    columns: dict[str, int] = {}
    for entry in objects:
        if entry.table is None:
            columns[entry.id] = 0
            ids[entry.id] = f"t{len(columns):02}"
        else:
            columns[entry.table] += 1
            ids[entry.id] = f"{ids[entry.table]}.c{columns[entry.table]:02}"
    return ids


def _hidden(entry: DataObject, ids: dict[str, str], *, source: str) -> DataObject:
    id = ids[entry.id]
    table = ids[entry.table] if entry.table else None
    return replace(entry, id=id, table=table, name=id.rpartition(".")[2], description="", source=source)


def _renamed(task: BundledTask, objects: tuple[DataObject, ...], ids: dict[str, str]) -> BundledTask:
    """Columns before tables: a column is found by its table's own name."""
    tables = {entry.name: ids[entry.id] for entry in objects if entry.table is None}
    names = {(table.name, it.name): ids[it.id] for table in objects for it in objects if it.table == table.id}
    tree = sqlglot.parse_one(task.sql, dialect=task.dialect)
    columns = [(column, scope) for scope in traverse_scope(tree) for column in scope.find_all(exp.Column)]
    found = [(column, id) for column, scope in columns if (id := _id_of(column, scope, names))]
    for column, id in found:
        column.this.replace(exp.to_identifier(id.rpartition(".")[2]))
    for table in list(tree.find_all(exp.Table)):
        table.this.replace(exp.to_identifier(tables[table.name]))
    renamed = tuple(sorted(ids[entry] for entry in task.objects))
    return replace(task, sql=tree.sql(dialect=task.dialect), objects=renamed)


def _id_of(column: exp.Column, scope: Scope, names: dict[tuple[str, str], str]) -> str | None:
    """None if the name is not a table's column (e.g. a SELECT alias)."""
    sources = [scope.sources[column.table]] if column.table else list(scope.sources.values())
    tables = [source.name for source in sources if isinstance(source, exp.Table)]
    return next((names[table, column.name] for table in tables if (table, column.name) in names), None)


def _text(objects: tuple[DataObject, ...], references: tuple[tuple[str, str], ...]) -> str:
    fields = ("id", "kind", "table", "name", "data_type", "description")
    entries = [
        {field: getattr(entry, field) for field in fields if getattr(entry, field) is not None} for entry in objects
    ]
    return json.dumps({"objects": entries, "references": references}, indent=1)
