"""CREATE TABLE and CREATE VIEW, from sqlglot's trees into the tables of the script.

Descriptions come from COMMENT, else from a comment beside the column (`-- ...`).
"""

from collections.abc import Iterable

from sqlglot import exp

from services.catalogue.ddl_tables import DdlColumn, DdlTable, ForeignKey, Path, Tables
from services.catalogue.values import Unusable

_INDEXES = frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"})


def create_table(tree: exp.Create, tables: Tables, *, dialect: str) -> None:
    schema = tree.this if isinstance(tree.this, exp.Schema) else None
    table = DdlTable(path=path_of(schema.this if schema else tree.this), description=_table_comment(tree))
    items = schema.expressions if schema else []
    if isinstance(tree.expression, exp.Query):
        for name in [item.name for item in items] or _results(tree.expression, tables, dialect=dialect):
            table.add(DdlColumn(name=name))
    for item in items if not table.columns else []:
        if isinstance(item, exp.ColumnDef | exp.Identifier):
            read_column(item, table, dialect=dialect)
        else:
            _read_constraint(item, table)
    for like in tree.find_all(exp.LikeProperty):
        for column in tables.get(path_of(like.this)).columns.values():
            table.add(DdlColumn(name=column.name, data_type=column.data_type, description=column.description))
    if not table.columns:
        raise Unusable("it names no columns that can be read")
    tables.create(table, replace=bool(tree.args.get("replace")), if_not_exists=bool(tree.args.get("exists")))


def read_column(item: exp.Expr, table: DdlTable, *, dialect: str) -> None:
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


def foreign_key(key: exp.ForeignKey, table: DdlTable) -> None:
    reference = key.args.get("reference")
    if isinstance(reference, exp.Reference):
        table.foreign_keys.append(_reference(reference, [item.name for item in key.expressions]))


def path_of(node: exp.Expr) -> Path:
    """The parts of a table's (or column's) name as written."""
    if isinstance(node, exp.Table | exp.Column):
        return tuple(part.name for part in node.parts if part.name)
    raise Unusable("it names no table")


def _read_constraint(item: exp.Expr, table: DdlTable) -> None:
    for key in item.find_all(exp.ForeignKey):
        foreign_key(key, table)
    for primary in item.find_all(exp.PrimaryKey, exp.ClusteredColumnConstraint):
        listed = primary.expressions or (primary.this if isinstance(primary.this, list) else [])
        table.primary_key = [part.name for part in listed] or table.primary_key


def _reference(reference: exp.Reference, here: list[str]) -> ForeignKey:
    target = reference.this
    there = [item.name for item in target.expressions] if isinstance(target, exp.Schema) else []
    return ForeignKey(here=here, table=path_of(target.this if isinstance(target, exp.Schema) else target), there=there)


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
            names += (column.name for column in tables.get(path_of(source)).columns.values())
    if not names:
        raise Unusable("the columns that its query returns are not known")
    return names


def _table_comment(tree: exp.Create) -> str:
    properties = tree.args.get("properties")
    return _described(properties) if isinstance(properties, exp.Properties) else ""


def _described(properties: exp.Properties) -> str:
    for item in properties.expressions:
        if isinstance(item, exp.SchemaCommentProperty):
            return str(item.this.name)
        if isinstance(item, exp.Property) and item.name.lower() == "description":
            value = item.args.get("value")
            return str(value.name) if isinstance(value, exp.Expr) else ""
    return ""


def _prose(comments: Iterable[str]) -> str:
    """Comments in words, without commented-out SQL."""
    return " ".join(said for comment in comments if (said := comment.strip()) and said[-1] not in ",;(")
