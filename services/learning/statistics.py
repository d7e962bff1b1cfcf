"""Read PostgreSQL's pg_stat_statements, live or exported as CSV, as a log.

It has no intents and no failures; literals are placeholders already.
"""

import csv
import re
from collections.abc import Iterable, Iterator

from graph.errors import InvalidInput
from services.databases import reading
from services.learning.lines import LINE_CHARACTERS, Line, Logged
from services.learning.scripts import QUIET

DIALECT = "postgres"

_WHERE = """
SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension e
JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'
"""
_STATEMENTS = """
SELECT s.query, sum(s.calls)::bigint AS calls FROM {schema}.pg_stat_statements s
JOIN pg_catalog.pg_database d ON d.oid = s.dbid
WHERE d.datname = pg_catalog.current_database() AND s.query IS NOT NULL
GROUP BY s.query ORDER BY calls DESC, s.query
"""
_OF_SCHEMA = re.compile(  # statements that define tables, unless filled by a query
    r"(CREATE(?!.*\bAS\s*\(?\s*(SELECT|WITH)\b)|ALTER|DROP|COMMENT|GRANT|REVOKE|TRUNCATE|COPY|EXPLAIN|REINDEX|CLUSTER|"
    r"REFRESH|DO|CALL|PREPARE|EXECUTE|DECLARE|REASSIGN|IMPORT|SECURITY|LOAD)\b",
    re.IGNORECASE | re.DOTALL,
)
_OF_SYSTEM = re.compile(r"\b(pg_catalog|information_schema)\s*\.|\bpg_(stat|class|namespace|type|attribute|database)")


def read_statistics(url: str, *, min_calls: int = 1) -> tuple[Logged, ...]:
    """Read the statements of this database, most frequent first, without the system's. Raises `InvalidInput` if the
    extension is missing, and what `reading` raises."""
    with reading(url) as database:
        if database.kind != "postgresql":
            raise InvalidInput(
                f"the statements of {database.name}",
                found="only PostgreSQL has them (pg_stat_statements)",
                hint="Export the query log of this database as JSON lines, or as a script",
            )
        schema = database.connection.exec_driver_sql(_WHERE).scalar()
        if schema is None:
            raise InvalidInput(
                f"the statements of {database.name}",
                found="the extension pg_stat_statements is not in this database",
                hint="CREATE EXTENSION pg_stat_statements, with the library of this name in shared_preload_libraries",
            )
        rows = [tuple(row) for row in database.connection.exec_driver_sql(_STATEMENTS.format(schema=schema))]
    return tuple(_logged(enumerate(rows, start=1), min_calls))


def read_exported(lines: Iterable[str], *, min_calls: int = 1) -> Iterator[Logged]:
    """Read a CSV export with the columns `query` and `calls`, by its lines. Raises `InvalidInput`."""
    before = csv.field_size_limit(LINE_CHARACTERS)
    try:
        reader = csv.reader(line.replace("\x00", "\ufffd") for line in lines)
        header = [name.strip().lower() for name in next(reader, [])]
        if "query" not in header:
            raise InvalidInput(
                "an export of pg_stat_statements",
                found="its first line names no column `query`",
                hint="\\copy (SELECT query, calls FROM pg_stat_statements) TO 'statements.csv' CSV HEADER",
            )
        yield from _logged(_records(reader, header), min_calls)
    except csv.Error as error:
        yield Logged(number=reader.line_num, found=f"no CSV: {error}")
    finally:
        csv.field_size_limit(before)


def _records(reader: Iterator[list[str]], header: list[str]) -> Iterator[tuple[int, tuple[str, object]]]:
    line = 2
    for row in reader:
        fields = dict(zip(header, row, strict=False))
        yield line, (fields.get("query", ""), fields.get("calls", "1"))
        line = reader.line_num + 1  # type: ignore[attr-defined]


def _logged(rows: Iterable[tuple[int, tuple[str, object]]], min_calls: int) -> Iterator[Logged]:
    for number, (query, calls) in rows:
        said = query.strip()
        if not said or QUIET.match(said) or _OF_SCHEMA.match(said) or _OF_SYSTEM.search(said):
            continue
        try:
            often = int(str(calls).strip() or 1)
        except ValueError:
            yield Logged(number=number, found=f"`calls` is no number: {str(calls)[:40]!r}")
            continue
        if often >= min_calls:
            yield Logged(number=number, found=Line(intent=None, sql=said, dialect=DIALECT))
