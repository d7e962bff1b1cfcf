"""Read SQL DDL as a catalogue: tables with columns, types, comments and foreign keys, and views with known columns.

Statements that define nothing are ignored; definitions that cannot be read are rejected one by one. Descriptions come
from COMMENT, else from a comment beside the column (`-- ...`).
"""

import re
from collections.abc import Iterable

from sqlglot import exp
from sqlglot.dialects.dialect import Dialects
from sqlglot.errors import SqlglotError

from graph.errors import InvalidInput
from services.catalogue.ddl_statements import Statement, cut_script, read_statements
from services.catalogue.ddl_tables import DdlColumn, DdlTable, ForeignKey, Path, Tables
from services.catalogue.items import collect, column_item, table_item
from services.catalogue.values import Rejected, SourceCatalogue, Unusable

# Tried in this order where no dialect is named: the first that reads everything, else the one that reads most.
GUESSED = ("", "sqlite", "postgres", "mysql", "tsql", "snowflake", "bigquery", "oracle")
KNOWN = frozenset(dialect.value for dialect in Dialects)

_INDEXES = frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"})
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
            _create_table(tree, tables, dialect=dialect)
    elif isinstance(tree, exp.Alter):
        for action in tree.args.get("actions") or ():
            _alter(_path_of(tree.this), action, tables, dialect=dialect)
    elif isinstance(tree, exp.Comment):
        _comment(tree, tables)
    elif isinstance(tree, exp.Drop):
        for dropped in tree.args.get("tables") or ():
            if tree.args.get("kind") in ("TABLE", "VIEW") and isinstance(dropped, exp.Table):
                tables.drop(_path_of(dropped))
    elif not (isinstance(tree, exp.Command) and _QUIET_COMMAND.match(f"{tree.name} {tree.expression}")):
        raise Unusable("it is no statement that describes tables")


def _alter(path: tuple[str, ...], action: exp.Expr, tables: Tables, *, dialect: str) -> None:
    if isinstance(action, exp.AlterRename):
        tables.rename(path, _path_of(action.this))
        return
    table = tables.get(path)
    if isinstance(action, exp.ColumnDef):
        _read_column(action, table, dialect=dialect)
    elif isinstance(action, exp.AddConstraint):
        _read_constraint(action, table)
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
    path = _path_of(tree.this)
    if kind == "COLUMN":
        tables.get(path[:-1]).column(path[-1]).description = said
    elif kind in ("TABLE", "VIEW"):
        tables.get(path).description = said


def _create_table(tree: exp.Create, tables: Tables, *, dialect: str) -> None:
    schema = tree.this if isinstance(tree.this, exp.Schema) else None
    table = DdlTable(
        path=_path_of(schema.this if schema else tree.this), description=_described(tree.args.get("properties"))
    )
    items = schema.expressions if schema else []
    if isinstance(tree.expression, exp.Query):
        for name in [item.name for item in items] or _results(tree.expression, tables, dialect=dialect):
            table.add(DdlColumn(name=name))
    for item in items if not table.columns else []:
        if isinstance(item, exp.ColumnDef | exp.Identifier):
            _read_column(item, table, dialect=dialect)
        else:
            _read_constraint(item, table)
    for like in tree.find_all(exp.LikeProperty):
        for column in tables.get(_path_of(like.this)).columns.values():
            table.add(DdlColumn(name=column.name, data_type=column.data_type, description=column.description))
    if not table.columns:
        raise Unusable("it names no columns that can be read")
    tables.create(table, replace=bool(tree.args.get("replace")), if_not_exists=bool(tree.args.get("exists")))


def _read_column(item: exp.Expr, table: DdlTable, *, dialect: str) -> None:
    name = item.name
    kind = item.args.get("kind")
    described = ""
    if name.upper() in _INDEXES and isinstance(kind, exp.DataType) and kind.this == exp.DType.USERDEFINED:
        raise Unusable(f"{name} reads like an index, not a column, in another dialect")
    for constraint in item.args.get("constraints") or ():
        rule = constraint.args.get("kind")
        if isinstance(rule, exp.CommentColumnConstraint):
            described = rule.this.name
        elif isinstance(rule, exp.Properties):
            described = described or _described(rule)
        elif isinstance(rule, exp.PrimaryKeyColumnConstraint):
            table.primary_key = [name]
        elif isinstance(rule, exp.Reference):
            table.foreign_keys.append(_reference(rule, [name]))
    noted = [*((item.this.comments or []) if isinstance(item, exp.ColumnDef) else []), *(item.comments or [])]
    table.add(
        DdlColumn(
            name=name,
            data_type=kind.sql(dialect=dialect) if isinstance(kind, exp.Expr) else None,
            description=described or _prose(noted),
        )
    )


def _path_of(node: exp.Expr) -> Path:
    """The parts of a table's (or column's) name as written."""
    if isinstance(node, exp.Table | exp.Column):
        return tuple(part.name for part in node.parts if part.name)
    raise Unusable("it names no table")


def _read_constraint(item: exp.Expr, table: DdlTable) -> None:
    for key in item.find_all(exp.ForeignKey):
        if isinstance(reference := key.args.get("reference"), exp.Reference):
            table.foreign_keys.append(_reference(reference, [part.name for part in key.expressions]))
    for primary in item.find_all(exp.PrimaryKey, exp.ClusteredColumnConstraint):
        listed = primary.expressions or (primary.this if isinstance(primary.this, list) else [])
        table.primary_key = [part.name for part in listed] or table.primary_key


def _reference(reference: exp.Reference, here: list[str]) -> ForeignKey:
    target = reference.this
    there = [item.name for item in target.expressions] if isinstance(target, exp.Schema) else []
    return ForeignKey(here=here, table=_path_of(target.this if isinstance(target, exp.Schema) else target), there=there)


def _results(query: exp.Query, tables: Tables, *, dialect: str) -> list[str]:
    """The names of a query's columns. Raises `Unusable` if one is unknown."""
    names: list[str] = []
    for item in query.selects:
        if not item.is_star:
            if not item.output_name:
                raise Unusable(f"a column of it has no name: {item.sql(dialect=dialect)[:60]}")
            names.append(item.output_name)
            continue
        start = query.args.get("from_")
        sources = [*([start.this] if start else []), *(join.this for join in query.args.get("joins") or ())]
        of_one = item.args.get("table") is not None if isinstance(item, exp.Column) else False
        for source in sources:
            if of_one and source.alias_or_name.casefold() != item.args["table"].name.casefold():
                continue
            names += (column.name for column in tables.get(_path_of(source)).columns.values())
    if not names:
        raise Unusable("the columns that its query returns are not known")
    return names


def _described(properties: exp.Properties | None) -> str:
    for item in properties.expressions if properties else ():
        if isinstance(item, exp.SchemaCommentProperty):
            return str(item.this.name)
        if isinstance(item, exp.Property) and item.name.lower() == "description":
            value = item.args.get("value")
            return str(value.name) if isinstance(value, exp.Expr) else ""
    return ""


def _prose(comments: Iterable[str]) -> str:
    """Comments in words, without commented-out SQL."""
    return " ".join(said for comment in comments if (said := comment.strip()) and said[-1] not in ",;(")
