"""Read the catalogue of a live database: tables and views with columns, types, comments and foreign keys.

Only metadata is read, never a row; a table that cannot be read does not affect the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graph.errors import InvalidInput
from services.catalogue.ids import make_id
from services.catalogue.items import collect, column_item, table_item
from services.catalogue.values import Progress, Rejected, SourceCatalogue
from services.databases import Database, reading

if TYPE_CHECKING:
    from sqlalchemy import Inspector

Place = tuple[str | None, str]
"""A schema, None where the database has no schemas; and a table in it."""

WITHOUT_SCHEMAS = ("sqlite",)
ONE_SCHEMA = ("mysql", "mariadb")  # the other schemas of the server are other databases
SYSTEM_SCHEMAS = frozenset(
    {"information_schema", "pg_catalog", "pg_toast", "sys", "system", "mysql", "performance_schema", "crdb_internal"}
    | {"ctxsys", "dbsnmp", "mdsys", "outln", "xdb", "wmsys", "ordsys", "audsys", "gsmadmin_internal", "_v_", "guest"}
)

# Partitions are their table again, once for each month; what an extension brings along is the database's own.
_PASSED_OVER = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relispartition OR EXISTS (SELECT 1 FROM pg_catalog.pg_depend d
  WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
"""


@dataclass(slots=True, kw_only=True)
class _Inspected:
    """An open database, and what was read of it so far."""

    inspector: Inspector
    database: Database
    passed_over: frozenset[Place]
    columns: dict[Place, list[Any]] = field(default_factory=dict)
    comments: dict[Place, str] = field(default_factory=dict)
    keys: dict[Place, list[Any]] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)

    def read_schema(self, schema: str | None) -> None:
        """Read the whole schema at once; if that fails, table by table, so that only the broken ones are left out."""
        from sqlalchemy.engine import ObjectKind
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._attempt():
                columns = self.inspector.get_multi_columns(schema, kind=ObjectKind.ANY)
                keys = self.inspector.get_multi_foreign_keys(schema, kind=ObjectKind.TABLE)
                comments = _comments(self.inspector, schema)
        except (SQLAlchemyError, NotImplementedError):
            self._read_one_by_one(schema)
            return
        self.columns |= {place: list(items) for place, items in columns.items() if place not in self.passed_over}
        self.keys |= {place: list(items) for place, items in keys.items() if place not in self.passed_over}
        self.comments |= comments

    def _read_one_by_one(self, schema: str | None) -> None:
        from sqlalchemy.exc import SQLAlchemyError

        inspector = self.inspector
        for name in [*inspector.get_table_names(schema), *inspector.get_view_names(schema)]:
            place = (schema, name)
            if place in self.passed_over:
                continue
            try:
                with self._attempt():
                    columns, keys = inspector.get_columns(name, schema), inspector.get_foreign_keys(name, schema)
            except (SQLAlchemyError, NotImplementedError) as error:
                said = str(getattr(error, "orig", None) or error).splitlines()[0][:300]
                self.rejected.append(Rejected(item=make_id(_path(place)), reason=f"it cannot be read: {said}"))
                continue
            self.columns[place], self.keys[place] = list(columns), list(keys)
            with suppress(SQLAlchemyError, NotImplementedError), self._attempt():
                self.comments[place] = inspector.get_table_comment(name, schema)["text"] or ""

    def _attempt(self) -> AbstractContextManager[object]:
        """A savepoint, on databases where an error aborts the transaction."""
        return self.database.connection.begin_nested() if self.database.kind == "postgresql" else nullcontext()

    def items(self) -> Iterator[dict[str, object]]:
        for place in sorted(self.columns, key=_path):
            path = _path(place)
            yield table_item(path, description=self.comments.get(place, ""))
            for column in self.columns[place]:
                kind = _type_name(column["type"], self.database.connection.dialect)
                yield column_item(path, column["name"], data_type=kind, description=column.get("comment") or "")

    def references(self) -> Iterator[tuple[str, str]]:
        """Pairs of column ids; the referred column is spelled as in its table, whatever case the key uses."""
        exact = {place: {column["name"] for column in columns} for place, columns in self.columns.items()}
        tables = {(schema, name.casefold()): (schema, name) for schema, name in reversed(list(self.columns))}
        for place, keys in self.keys.items():
            for key in keys:
                wanted = (key.get("referred_schema") or place[0], key["referred_table"])
                there = wanted if wanted in exact else tables.get((wanted[0], wanted[1].casefold()), wanted)
                names = {name.casefold(): name for name in exact.get(there, ())}
                columns = key["referred_columns"]
                if not columns and there in exact:  # the primary key is meant, of a table written in another case
                    columns = self.inspector.get_pk_constraint(there[1], there[0])["constrained_columns"]
                for here, referred in zip(key["constrained_columns"], columns, strict=False):
                    spelled = referred if referred in exact.get(there, ()) else names.get(referred.casefold(), referred)
                    yield make_id((*_path(place), here)), make_id((*_path(there), spelled))


def read_database(
    url: str, *, source: str | None = None, schemas: Sequence[str] = (), progress: Progress | None = None
) -> SourceCatalogue:
    """Read all schemas but the system's, or `schemas`. `source` defaults to the URL without credentials. Raises
    `InvalidInput` for an unknown schema, and what `reading` raises."""
    with reading(url) as database:
        from sqlalchemy import inspect

        if database.kind == "postgresql":  # with an empty path every name comes with its schema
            database.connection.exec_driver_sql("SELECT set_config('search_path', '', true)")
        inspector = inspect(database.connection)
        chosen = _schemas(inspector, database, schemas)
        found = _Inspected(inspector=inspector, database=database, passed_over=_passed_over(database))
        for number, schema in enumerate(chosen, start=1):
            found.read_schema(schema)
            if progress is not None:
                progress(number, len(chosen))
        return collect(source or database.name, found.items(), found.references(), rejected=found.rejected)


def _schemas(inspector: Inspector, database: Database, wanted: Sequence[str]) -> list[str | None]:
    if database.kind in WITHOUT_SCHEMAS and not wanted:
        return [None]
    there = inspector.get_schema_names()
    if missing := [schema for schema in wanted if schema not in there]:
        raise InvalidInput(
            f"schema {missing[0]!r} of {database.name}",
            found="there is no such schema that this user may see",
            hint=f"There are {', '.join(there[:20])}",
        )
    if wanted:
        return list(dict.fromkeys(wanted))
    if database.kind in ONE_SCHEMA:
        return [inspector.default_schema_name]
    return [schema for schema in there if not _is_of_system(schema)]


def _is_of_system(schema: str) -> bool:
    name = schema.lower()
    return name in SYSTEM_SCHEMAS or name.startswith(("pg_toast", "pg_temp", "db_"))


def _passed_over(database: Database) -> frozenset[Place]:
    if database.kind != "postgresql":
        return frozenset()
    return frozenset((schema, name) for schema, name in database.connection.exec_driver_sql(_PASSED_OVER))


def _comments(inspector: Inspector, schema: str | None) -> dict[Place, str]:
    from sqlalchemy.engine import ObjectKind

    try:
        found = inspector.get_multi_table_comment(schema, kind=ObjectKind.ANY)
    except NotImplementedError:  # SQLite has none
        return {}
    return {place: comment["text"] or "" for place, comment in found.items()}


def _type_name(kind: Any, dialect: Any) -> str | None:
    """The type as the database writes it, None where SQLAlchemy does not know it."""
    from sqlalchemy.exc import SQLAlchemyError
    from sqlalchemy.types import NullType

    if isinstance(kind, NullType):
        return None
    try:
        return str(kind.compile(dialect=dialect))
    except (SQLAlchemyError, AttributeError, TypeError):
        return str(getattr(kind, "name", None) or type(kind).__name__)


def _path(place: Place) -> tuple[str, ...]:
    schema, name = place
    return (name,) if schema is None else (schema, name)
