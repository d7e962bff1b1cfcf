"""Question-and-SQL benchmarks in their published layouts (BIRD, Spider) as domains: a registry, and tasks with gold.

The gold objects of a task are what the parse of its SQL uses; a task whose SQL does not resolve wholly is left out.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graph.catalogue import DataObject
from graph.errors import InvalidInput
from services.catalogue.ids import make_id
from services.catalogue.items import collect
from services.catalogue.values import Rejected, SourceCatalogue
from services.identity import normal_intent
from services.learning.names import Schema
from services.learning.parsing import UnreadableSql, parse_sql
from services.learning.resolve import resolve

DIALECT = "sqlite"  # of both benchmarks
DESCRIPTION_CHARACTERS = 300
TABLES = "tables.json"  # dev_tables.json, train_tables.json, tables.json

Json = dict[str, Any]
Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The databases that have tasks, in order of their names, and what was left out.

    A domain has the form of a catalogue in JSON, with its name as `domain` and with `tasks`.
    """

    domains: tuple[Json, ...]
    rejected: tuple[Rejected, ...]


def read_published(place: Path) -> Published:
    """Read the benchmark in a folder, or the questions of one file of it. Raises `InvalidInput` where there is none."""
    folder = place if place.is_dir() else place.parent
    schemas = _schemas(folder)
    questions = [place] if place.is_file() else _question_files(folder)
    if not schemas or not questions:
        raise InvalidInput(
            f"a benchmark in {place.name}",
            found="no `tables.json` with schemas" if not schemas else "no JSON file of questions with `db_id`",
            hint="Give the folder as published: tables.json (or dev_tables.json) beside dev.json or train_*.json",
        )
    rejected: list[Rejected] = []
    read = {name: _registry(schema, _described(folder, name), rejected) for name, schema in schemas.items()}
    names = {name: Schema(catalogue.objects) for name, catalogue in read.items()}
    tasks: dict[str, list[Json]] = {name: [] for name in read}
    for file in questions:
        for number, raw in enumerate(_list(file)):
            try:
                name, task = _task(raw, names, place=f"{file.stem}-{number}")
                tasks[name].append(task)
            except (UnreadableSql, InvalidInput) as error:
                rejected.append(
                    Rejected(item=f"{file.name}[{number}]", reason=getattr(error, "found", None) or str(error))
                )
    domains = (_domain(name, read[name], tasks[name]) for name in sorted(read) if tasks[name])
    return Published(domains=tuple(domains), rejected=tuple(rejected))


def _schemas(folder: Path) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for file in sorted(folder.glob(f"*{TABLES}")):
        for schema in _list(file):
            if isinstance(schema, dict) and isinstance(schema.get("db_id"), str):
                found.setdefault(schema["db_id"], schema)
    return found


def _question_files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.glob("*.json")) if not file.name.endswith(TABLES) and _asks(file)]


def _asks(file: Path) -> bool:
    try:
        items = _list(file)
    except InvalidInput:
        return False
    return any(isinstance(item, dict) and "db_id" in item and "question" in item for item in items[:10])


def _list(file: Path) -> list[Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
    except (ValueError, OSError, RecursionError) as error:
        raise InvalidInput(f"the file {file.name}", found=str(error)[:200], hint="Give JSON in UTF-8") from error
    if not isinstance(data, list):
        raise InvalidInput(f"the file {file.name}", found="it holds no list", hint="Give the file as it was published")
    return data


def _registry(schema: Json, described: Mapping[tuple[str, str], Parts], rejected: list[Rejected]) -> SourceCatalogue:
    """Tables and columns by the names that SQL writes, described by the natural ones and by `described`."""
    name: str = schema["db_id"]
    try:
        tables = [str(table) for table in schema["table_names_original"]]
        titles = [str(table) for table in schema.get("table_names", tables)]
        columns = [(int(table), str(column)) for table, column in schema["column_names_original"]]
        natural = [str(column) for _, column in (schema.get("column_names") or schema["column_names_original"])]
        types = [str(kind) for kind in schema.get("column_types", ())]
        keys = [(int(here), int(there)) for here, there in schema.get("foreign_keys", ())]
        objects: list[Json] = [
            {"id": make_id((table,)), "kind": "table", "name": table, "description": titles[number]}
            for number, table in enumerate(tables)
        ]
        ids = ["" if table < 0 else make_id((tables[table], column)) for table, column in columns]
        objects += (
            {
                "id": ids[number],
                "kind": "attribute",
                "table": make_id((tables[table],)),
                "name": column,
                "description": _joined(natural[number], *described.get((tables[table].lower(), column.lower()), ())),
                "data_type": types[number] if number < len(types) else None,
            }
            for number, (table, column) in enumerate(columns)
            if table >= 0
        )
        found = collect(name, objects, [(ids[here], ids[there]) for here, there in keys])
    except (KeyError, ValueError, TypeError, IndexError) as error:
        rejected.append(Rejected(item=f"schema {name}", reason=f"not in the published form ({error!r:.100})"))
        return SourceCatalogue(source=name, objects=())
    rejected += (Rejected(item=f"schema {name}: {entry.item}", reason=entry.reason) for entry in found.rejected)
    return found


def _described(folder: Path, name: str) -> dict[tuple[str, str], Parts]:
    """Descriptions of columns from BIRD's `database_description`, by table and column in lower case."""
    found: dict[tuple[str, str], Parts] = {}
    for file in sorted(folder.glob(f"*/{name}/database_description/*.csv")):
        data = file.read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("windows-1252", errors="replace")
        for row in csv.DictReader(io.StringIO(text, newline="")):
            column = (row.get("original_column_name") or "").strip().lower()
            parts = (row.get("column_name"), row.get("column_description"), row.get("value_description"))
            found[file.stem.lower(), column] = tuple(part or "" for part in parts)
    return found


def _joined(*parts: str) -> str:
    """The parts in a row, without those that another contains already; bounded."""
    kept: list[str] = []
    for part in (" ".join(part.split()) for part in parts):
        if part and not any(part.lower() in other.lower() for other in kept):
            kept.append(part)
    return "; ".join(kept)[:DESCRIPTION_CHARACTERS]


def _task(raw: object, names: Mapping[str, Schema], *, place: str) -> tuple[str, Json]:
    if not isinstance(raw, dict):
        raise UnreadableSql("it is no object with `db_id`, `question` and `SQL` or `query`")
    name, sql = raw.get("db_id"), raw.get("SQL", raw.get("query"))
    if not isinstance(name, str) or name not in names:
        raise UnreadableSql(f"no schema of the database {str(name)[:60]!r} is there")
    if not isinstance(sql, str):
        raise UnreadableSql("its SQL is missing")
    resolution = resolve(parse_sql(sql, dialect=DIALECT), names[name])
    if resolution.unresolved:
        raise UnreadableSql(f"its SQL names what the schema lacks: {', '.join(resolution.unresolved[:5])}")
    if not resolution.objects:
        raise UnreadableSql("its SQL uses nothing that the schema has")
    return name, {
        "id": str(raw.get("question_id", place)),
        "intent": normal_intent(raw.get("question")),
        "objects": list(resolution.objects),
        "difficulty": str(raw.get("difficulty", "unrated")),
        "sql": sql,
    }


def _domain(name: str, catalogue: SourceCatalogue, tasks: Sequence[Json]) -> Json:
    return {
        "domain": name,
        "objects": list(map(_plain, catalogue.objects)),
        "references": [list(pair) for pair in catalogue.references],
        "tasks": list(_distinct(tasks)),
    }


def _plain(item: DataObject) -> Json:
    fields: Json = {"id": item.id, "kind": item.kind, "name": item.name, "description": item.description}
    return fields if item.table is None else fields | {"table": item.table, "data_type": item.data_type}


def _distinct(tasks: Sequence[Json]) -> Iterator[Json]:
    """The tasks, the ids of those that have another's made distinct."""
    seen: dict[str, int] = {}
    for task in tasks:
        seen[task["id"]] = count = seen.get(task["id"], 0) + 1
        yield task if count == 1 else task | {"id": f"{task['id']}-{count}"}
