"""Resolve the data objects that a script uses: every column through its scopes, nothing guessed.

A column includes its table; `SELECT *` counts for its tables alone; names that resolve to nothing, or to several
things, are listed as written. Of statements that write, objects that they only write are not used: UPDATE and DELETE
read their table, as they search its rows; INSERT does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from services.learning.names import Relation, Schema, fold_name
from services.learning.parsing import SqlScript, UnreadableSql
from services.learning.queries import Named, Reader
from services.learning.scopes import Scope

# Statements that read no data of a catalogue.
_QUIET = (
    exp.Drop, exp.Alter, exp.Set, exp.Pragma, exp.Use, exp.Transaction, exp.Commit, exp.Rollback, exp.Analyze,
    exp.Comment, exp.TruncateTable, exp.Describe, exp.Show, exp.Declare, exp.Grant, exp.Cache, exp.Uncache,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """`objects` (ids, sorted) that the statements read; `unresolved` names as written, in order; `strings` are the
    offsets of double-quoted words that are, or may be, literals."""

    objects: tuple[str, ...]
    unresolved: tuple[str, ...]
    strings: frozenset[int]


def resolve(script: SqlScript, schema: Schema) -> Resolution:
    """Resolve a script. Raises `UnreadableSql` for statements of another kind, or nested too deeply."""
    reader = Reader(script, schema, write=_write)
    named: Named = {}
    try:
        for statement in script.statements:
            output = reader.query(statement, None, named)
            into = statement.args.get("into")
            if isinstance(into, exp.Into) and isinstance(into.this, exp.Table):
                named[into.this.name.lower()] = output
    except RecursionError as error:
        raise UnreadableSql("the statement is nested too deeply") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # A tree of a shape unknown here, from some dialect of sqlglot: only this line fails, not the log.
        raise UnreadableSql(
            f"the statement has a form that cannot be followed ({type(error).__name__}: {error})"
        ) from error
    return Resolution(
        objects=tuple(sorted(reader.used)), unresolved=tuple(reader.unresolved), strings=frozenset(reader.strings)
    )


def _write(reader: Reader, node: exp.Expr, named: Named) -> Relation:
    """Read a statement that is no query. Returns what it returns (RETURNING); raises `UnreadableSql` for a kind that
    cannot be learned from. A table that it creates is added to `named`, for later statements."""
    if isinstance(node, exp.Insert):
        return _insert(reader, node, named)
    if isinstance(node, exp.Update | exp.Delete):
        return _change(reader, node, named)
    if isinstance(node, exp.Merge):
        return _merge(reader, node, named)
    if isinstance(node, exp.Create):
        made = node.this.this if isinstance(node.this, exp.Schema) else node.this
        if isinstance(node.expression, exp.Query):
            relation = reader.query(node.expression, None, named)
            if isinstance(made, exp.Table):
                named[fold_name(made.name)] = relation
    elif not isinstance(node, _QUIET):
        kind = node.name.upper() if isinstance(node, exp.Command) else "no statement at all"
        raise UnreadableSql(
            f"what it says ({kind}) cannot be learned from: a SELECT, INSERT, UPDATE, DELETE or MERGE can"
        )
    return Relation()


def _insert(reader: Reader, node: exp.Insert, named: Named) -> Relation:
    named = reader.ctes(node, None, named)
    if isinstance(node.expression, exp.Query | exp.Values):
        reader.query(node.expression, None, named)
    conflict, returning = node.args.get("conflict"), node.args.get("returning")
    if conflict is None and returning is None:
        return Relation()
    target = node.this.this if isinstance(node.this, exp.Schema) else node.this
    before = set(reader.used)
    scope = Scope()
    relation = reader.source(target, scope, named)
    scope.sources.append((("excluded",), Relation(columns=relation.columns, unknown=relation.unknown)))
    used = set(reader.used)
    if conflict is not None:
        reader.walk(_assigned(conflict.expressions), scope, named)
        reader.walk([conflict.args["where"]] if conflict.args.get("where") else [], scope, named)
    if returning is not None:
        reader.walk(returning, scope, named)
    if reader.used == used:  # nothing of the target was read after all
        reader.used = before
    return relation


def _change(reader: Reader, node: exp.Update | exp.Delete, named: Named) -> Relation:
    named = reader.ctes(node, None, named)
    scope = Scope()
    start, using = node.args.get("from_"), node.args.get("using")
    for item in [start.this] if isinstance(start, exp.From) else using if isinstance(using, list) else []:
        reader.source(item, scope, named)
    known = isinstance(node, exp.Update) or isinstance(node.this, exp.Table)
    if known and not _is_alias_of(node.this, scope):
        reader.source(node.this, scope, named)
    reader.walk(_assigned(node.expressions), scope, named)
    reader.walk(_clauses(node), scope, named)
    return Relation(function=True)


def _merge(reader: Reader, node: exp.Merge, named: Named) -> Relation:
    named = reader.ctes(node, None, named)
    scope = Scope()
    reader.source(node.this, scope, named)
    reader.source(node.args["using"], scope, named)
    reader.walk([node.args["on"]] if node.args.get("on") else [], scope, named)
    for when in node.args["whens"].expressions:
        reader.walk([when.args["condition"]] if when.args.get("condition") else [], scope, named)
        then = when.args.get("then")
        if isinstance(then, exp.Update):
            reader.walk(_assigned(then.expressions), scope, named)
        elif isinstance(then, exp.Insert) and isinstance(then.expression, exp.Expr):
            reader.walk(then.expression, scope, named)
    return Relation(function=True)


def _assigned(assignments: Iterable[exp.Expr]) -> list[exp.Expr]:
    """What is read in `a = b`: the right side."""
    return [item.expression if isinstance(item, exp.EQ) else item for item in assignments]


def _clauses(node: exp.Expr) -> list[exp.Expr]:
    return [
        node.args[key] for key in ("where", "order", "limit", "returning") if isinstance(node.args.get(key), exp.Expr)
    ]


def _is_alias_of(target: exp.Expr, scope: Scope) -> bool:
    """True if the target is an alias from FROM, as in T-SQL."""
    return isinstance(target, exp.Table) and any(path == (fold_name(target.name),) for path, _ in scope.sources)
