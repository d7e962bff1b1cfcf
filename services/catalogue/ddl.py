"""Read SQL DDL as a catalogue: tables with columns, types, comments and foreign keys, and views with known columns.

Statements that define nothing are ignored; definitions that cannot be read are rejected one by one.
"""

import re

from sqlglot import exp
from sqlglot.dialects.dialect import Dialects
from sqlglot.errors import SqlglotError

from graph.errors import InvalidInput
from services.catalogue.ddl_columns import create_table, foreign_key, path_of, read_column
from services.catalogue.ddl_statements import Statement, cut_script, read_statements
from services.catalogue.ddl_tables import Tables
from services.catalogue.items import collect, column_item, table_item
from services.catalogue.values import Rejected, SourceCatalogue, Unusable

# Tried in this order where no dialect is named: the first that reads everything, else the one that reads most.
GUESSED = ("", "sqlite", "postgres", "mysql", "tsql", "snowflake", "bigquery", "oracle")
KNOWN = frozenset(dialect.value for dialect in Dialects)

_QUIET = (
    exp.Insert, exp.Update, exp.Delete, exp.Query, exp.Set, exp.Use, exp.Pragma, exp.Transaction, exp.Commit,
    exp.Rollback, exp.Grant, exp.Analyze, exp.TruncateTable, exp.EndStatement,
)  # fmt: skip
_QUIET_COMMAND = re.compile(
    r"(LOCK|UNLOCK|GRANT|REVOKE|SET|PRINT|VACUUM|REINDEX|BEGIN|END|START|CALL|EXEC|EXECUTE|DO|SHOW|REPLACE)\b"
    r"|(CREATE|ALTER|DROP)\s+(OR\s+REPLACE\s+|UNIQUE\s+|CONSTRAINT\s+|TEMP\s+|TEMPORARY\s+)*"
    r"(INDEX|SCHEMA|DATABASE|SEQUENCE|TYPE|FUNCTION|PROCEDURE|TRIGGER|EXTENSION|ROLE|USER|DOMAIN|POLICY|RULE|DEFAULT)\b"
    r"|ALTER\s+TABLE\s.*\b(OWNER\s+TO|ENABLE|DISABLE|CLUSTER\s+ON|REPLICA|SET|CHECK\s+CONSTRAINT|ATTACH)\b",
    re.IGNORECASE | re.DOTALL,
)


def read_ddl(text: str, *, source: str, dialect: str = "") -> SourceCatalogue:
    """Read a script. Raises `InvalidInput` for an unknown dialect, and for text that is no SQL in any dialect tried."""
    name = dialect.strip().lower()
    if name not in KNOWN:
        known = ", ".join(sorted(filter(None, KNOWN)))
        raise InvalidInput(f"DDL of the dialect {dialect[:40]!r}", found="no such dialect", hint=f"Known are {known}")
    script = cut_script(text.removeprefix("\ufeff"))
    best: SourceCatalogue | None = None
    fault = ""
    for guess in (name,) if name else GUESSED:
        try:
            found = _read(script, source=source, dialect=guess)
        except SqlglotError as error:
            fault = fault or str(error)[:200]
            continue
        if best is None or len(found.rejected) < len(best.rejected):
            best = found
        if not best.rejected:
            break
    if best is None:
        raise InvalidInput(
            "a catalogue in SQL DDL", found=f"it is no SQL: {fault}", hint="Name its dialect, or its form"
        )
    return best


def _read(script: str, *, source: str, dialect: str) -> SourceCatalogue:
    tables = Tables()
    rejected: list[Rejected] = []
    for statement in read_statements(script, dialect=dialect):
        try:
            _follow(statement, tables, dialect=dialect)
        except Unusable as error:
            rejected.append(Rejected(item=statement.label, reason=str(error)))
    objects: list[object] = []
    for table in tables:
        objects.append(table_item(table.path, description=table.description))
        objects += (
            column_item(table.path, column.name, data_type=column.data_type, description=column.description)
            for column in table.columns.values()
        )
    pairs, broken = tables.references()
    return collect(source, objects, pairs, rejected=[*rejected, *broken])


def _follow(statement: Statement, tables: Tables, *, dialect: str) -> None:
    tree = statement.tree
    if statement.fault is not None:
        raise Unusable(statement.fault)
    if tree is None or isinstance(tree, _QUIET):
        return
    if isinstance(tree, exp.Create):
        if tree.kind in ("TABLE", "VIEW"):
            create_table(tree, tables, dialect=dialect)
    elif isinstance(tree, exp.Alter):
        for action in tree.args.get("actions") or ():
            _alter(path_of(tree.this), action, tables, dialect=dialect)
    elif isinstance(tree, exp.Comment):
        _comment(tree, tables)
    elif isinstance(tree, exp.Drop):
        for dropped in tree.args.get("tables") or ():
            if tree.args.get("kind") in ("TABLE", "VIEW") and isinstance(dropped, exp.Table):
                tables.drop(path_of(dropped))
    elif not (isinstance(tree, exp.Command) and _QUIET_COMMAND.match(f"{tree.name} {tree.expression}")):
        raise Unusable("it is no statement that describes tables")


def _alter(path: tuple[str, ...], action: exp.Expr, tables: Tables, *, dialect: str) -> None:
    if isinstance(action, exp.AlterRename):
        tables.rename(path, path_of(action.this))
        return
    table = tables.get(path)
    if isinstance(action, exp.ColumnDef):
        read_column(action, table, dialect=dialect)
    elif isinstance(action, exp.AddConstraint):
        for key in action.find_all(exp.ForeignKey):
            foreign_key(key, table)
        for primary in action.find_all(exp.PrimaryKey):
            table.primary_key = [item.name for item in primary.expressions]
    elif isinstance(action, exp.Drop):
        for column in action.args.get("tables") or ():
            if action.args.get("kind") == "COLUMN":
                table.columns.pop(column.name.casefold(), None)
    elif isinstance(action, exp.RenameColumn):
        table.rename(action.this.name, action.args["to"].name)
    elif isinstance(action, exp.AlterColumn):
        if isinstance(kind := action.args.get("dtype"), exp.DataType):
            table.column(action.this.name).data_type = kind.sql(dialect=dialect)
        if isinstance(said := action.args.get("comment"), exp.Expr):
            table.column(action.this.name).description = said.name


def _comment(tree: exp.Comment, tables: Tables) -> None:
    kind, said = tree.args.get("kind"), tree.expression.name if isinstance(tree.expression, exp.Literal) else ""
    path = path_of(tree.this)
    if kind == "COLUMN":
        tables.get(path[:-1]).column(path[-1]).description = said
    elif kind in ("TABLE", "VIEW"):
        tables.get(path).description = said
