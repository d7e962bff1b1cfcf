"""Resolve queries: each column of a SELECT is looked up in the scope of its place.

Statements that write are in `resolve`, which uses this reader for the parts that read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqlglot import exp

from services.learning.names import Lookup, Name, Relation, Schema, fold_name
from services.learning.parsing import SqlScript
from services.learning.scopes import Scope, merge_outputs, output_of, renamed

Named = dict[str, Relation]
"""Named queries (CTEs, tables created by an earlier statement), by folded name."""

# Not data: parts resolved separately, targets, and options.
_BESIDE = frozenset(
    {"this", "expression", "from_", "joins", "laterals", "with_", "alias", "pivots"}
    | {"into", "hint", "settings", "format", "options", "locks", "sample", "for_", "on"}
)
_FIELDS = frozenset(
    {"", "athena", "bigquery", "clickhouse", "databricks", "duckdb", "hive", "presto", "snowflake", "spark", "trino"}
)  # where `a.b` may be field b of column a
_HIDDEN = frozenset({"rowid", "oid", "_rowid_", "ctid", "rownum", "level", "_partitiontime", "_partitiondate"})


class Reader:
    """Walks one script and collects `used` (ids), `unresolved` (names as written) and `strings` (offsets)."""

    def __init__(
        self, script: SqlScript, schema: Schema, *, write: Callable[[Reader, exp.Expr, Named], Relation]
    ) -> None:
        self.used: set[str] = set()
        self.unresolved: dict[str, None] = {}
        self.strings: set[int] = set()
        self._text = script.text
        self._dialect = script.dialect
        self._schema = schema
        self._write = write

    def query(self, node: exp.Expr, outer: Scope | None, named: Named) -> Relation:
        """Resolve a query of any form. Returns its columns."""
        if isinstance(node, exp.Select):
            return self._select(node, outer, named)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, named)
        if isinstance(node, exp.Subquery):
            named = self.ctes(node, outer, named)
            relation = self.query(node.this, outer, named)
            self.clauses(node, Scope(outer=outer, sources=[((), relation)]), named)
            return relation
        if isinstance(node, exp.Table):
            return self.source(node, Scope(outer=outer), named)
        if isinstance(node, exp.Values):
            self.walk(node.expressions, Scope(outer=outer), named)
            return Relation(function=True)
        return self._write(self, node, named)

    def ctes(self, node: exp.Expr, outer: Scope | None, named: Named) -> Named:
        """The named queries in scope: those around it, and its own, each of which sees those before it."""
        clause = node.args.get("with_")
        if not isinstance(clause, exp.With):
            return named
        named = dict(named)
        for cte in clause.expressions:
            columns = _alias_columns(cte)
            if isinstance(cte.this, exp.SetOperation):
                hidden = not clause.recursive and self._schema.table([Name(cte.alias)], dialect=self._dialect)
                itself = None if hidden else (fold_name(cte.alias), columns)
                relation = self._set_operation(cte.this, outer, named, itself=itself)
            else:
                relation = self.query(cte.this, outer, named)
            named[fold_name(cte.alias)] = renamed(relation, columns)
        return named

    def source(self, item: exp.Expr, scope: Scope, named: Named) -> Relation:
        """Add an item of FROM, with the joins inside it, to the scope."""
        path: tuple[str, ...] = ()
        if isinstance(item, exp.Subquery) and _is_join(item):
            relation = self.source(item.this, scope, named)
            self.joins(item, scope, named)
            return relation
        if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier | exp.Dot):
            relation = self._table(item, scope, named)
            path = tuple(fold_name(part.name) for part in item.parts)
        elif isinstance(item, exp.Subquery):
            relation = self.query(item, scope.outer, named)
        elif isinstance(item, exp.Lateral) and isinstance(item.this, exp.Subquery):
            relation = self.query(item.this, scope, named)
        else:  # a function, UNNEST, VALUES: its arguments are resolved, its columns are not the catalogue's
            self.walk(_children(item, beside={"alias", "joins", "pivots"}), scope, named)
            relation = Relation(function=True)
        if pivots := item.args.get("pivots"):
            self.walk(pivots, Scope(outer=scope.outer, sources=[((), relation)]), named)
            relation = Relation(columns=dict(relation.columns), function=True, aligned=False)
        relation = renamed(relation, _alias_columns(item))
        scope.sources.append(((fold_name(item.alias),) if item.alias else path, relation))
        self.joins(item, scope, named)
        return relation

    def joins(self, node: exp.Expr, scope: Scope, named: Named) -> None:
        later = []
        for join in node.args.get("joins") or ():
            before = len(scope.sources)
            self.source(join.this, scope, named)
            self._merge(join, scope, before)
            conditions = [join.args[key] for key in ("on", "match_condition") if join.args.get(key)]
            if self._dialect == "sqlite":  # where a condition may name a table that is joined later
                later += conditions
            else:
                self.walk(conditions, scope, named)
        for lateral in node.args.get("laterals") or ():
            self.source(lateral, scope, named)
        self.walk(later, scope, named)

    def clauses(self, node: exp.Expr, scope: Scope, named: Named) -> None:
        """Resolve the clauses of a query but FROM. A bare name in ORDER BY is an alias first."""
        for key, value in node.args.items():
            if key in _BESIDE or not value:
                continue
            if key == "order":
                terms = [term for term in value.expressions if not _is_alias(term, scope)]
                self.walk(terms, scope, named)
            elif isinstance(value, exp.Expr | list):
                self.walk(value, scope, named)

    def walk(self, nodes: exp.Expr | Iterable[exp.Expr], scope: Scope, named: Named) -> None:
        """Resolve every column below these nodes, without recursion but for nested queries."""
        stack = [nodes] if isinstance(nodes, exp.Expr) else list(nodes)[::-1]
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Column):
                self._column(node, scope)
            elif isinstance(node, exp.Query | exp.Table):
                self.query(node, scope, named)
            elif isinstance(node, exp.Star):
                stack += node.args.get("replace") or []
            elif isinstance(node, exp.In) and self._is_table(node.args.get("field"), named):
                self.source(exp.Table(this=node.args["field"].this), Scope(), named)
                stack.append(node.this)
            else:
                stack += list(_children(node))[::-1]

    # The parts of a query

    def _select(self, node: exp.Select, outer: Scope | None, named: Named) -> Relation:
        named = self.ctes(node, outer, named)
        scope = Scope(outer=outer)
        if isinstance(start := node.args.get("from_"), exp.From):
            self.source(start.this, scope, named)
        self.joins(node, scope, named)
        scope.aliases = {fold_name(item.alias) for item in node.expressions if isinstance(item, exp.Alias)}
        self.clauses(node, scope, named)
        return output_of(node, scope)

    def _set_operation(
        self, node: exp.SetOperation, outer: Scope | None, named: Named, *, itself: tuple[str, list[str]] | None = None
    ) -> Relation:
        """Resolve the members from the left, as chains may be thousands long. `itself`: the name (and its columns) by
        which members after the first may refer to the whole."""
        chain: list[exp.SetOperation] = []
        first: exp.Expr = node
        while isinstance(first, exp.SetOperation):
            named = self.ctes(first, outer, named)
            chain.append(first)
            first = first.this
        output = self.query(first, outer, named)
        if itself is not None:
            named = {**named, itself[0]: renamed(output, itself[1])}
        for operation in reversed(chain):
            right = self.query(operation.expression, outer, named)
            scope = Scope(outer=outer, sources=[((), output)], aliases=set(right.columns))
            self.clauses(operation, scope, named)
            output = merge_outputs(output, right)
        return output

    def _table(self, item: exp.Table, scope: Scope, named: Named) -> Relation:
        path = [Name(part.name, bool(part.args.get("quoted"))) for part in item.parts]
        if len(path) == 1 and (relation := named.get(fold_name(path[0].text))) is not None:
            return relation
        found = self._schema.table(path, dialect=self._dialect)
        if isinstance(found, Relation):
            assert found.table is not None
            self.used.add(found.table)
            return found
        if found is None and len(path) > 1 and self._take(scope, path):  # an array in a column of a table before it
            return Relation(function=True)
        if found is None and path[-1].text.casefold() == "dual":  # Oracle's table of nothing
            return Relation()
        self._miss(item.parts)
        return Relation(unknown=True)

    def _merge(self, join: exp.Expr, scope: Scope, before: int) -> None:
        """Merge the columns that USING or NATURAL joins."""
        left = [relation for _, relation in scope.sources[:before]]
        right = [relation for _, relation in scope.sources[before:]]
        names = [Name(item.name, bool(item.args.get("quoted"))) for item in join.args.get("using") or ()]
        if join.args.get("method") == "NATURAL":
            offered = {spelled[0][0] for relation in right for spelled in relation.columns.values()}
            common = {folded for relation in left for folded in relation.columns}
            names = [Name(text) for text in sorted(offered) if fold_name(text) in common]
        for name in names:
            for side in (left, right):
                hits = [hit for relation in side if (hit := relation.find(name, dialect=self._dialect)) is not None]
                known = [hit for hit in hits if hit is not Lookup.AMBIGUOUS]
                if fold_name(name.text) not in scope.merged:
                    known = known[:1]
                if not known and not any(relation.function for relation in side):
                    self.unresolved[name.text] = None
                self.used.update(*known)
            scope.merged.add(fold_name(name.text))

    # Columns

    def _column(self, node: exp.Column, scope: Scope) -> None:
        parts = node.parts
        if isinstance(node.this, exp.Star):
            if scope.source(tuple(fold_name(part.name) for part in parts[:-1])) is None:
                self._miss(parts)
            return
        path = [Name(part.name, bool(part.args.get("quoted"))) for part in parts]
        if self._take(scope, path):
            return
        if len(path) > 1 or not self._is_word(node, path[0], scope):
            self._miss(parts)

    def _take(self, scope: Scope, path: list[Name]) -> bool:
        """Resolve a path to a column in scope, or to a field of one, and count its objects. True if there is one."""
        if len(path) == 1:
            found = scope.find(path[0], dialect=self._dialect)
        else:
            relation = scope.source(tuple(fold_name(part.text) for part in path[:-1]))
            found = relation.find(path[-1], dialect=self._dialect) if relation is not None else None
            if relation is not None and found is None:
                return relation.function or (not relation.unknown and fold_name(path[-1].text) in _HIDDEN)
            if relation is None:
                return self._dialect in _FIELDS and self._take(scope, path[:-1])
        if found is None or found is Lookup.AMBIGUOUS:
            return False
        self.used |= found
        return True

    def _is_word(self, node: exp.Column, name: Name, scope: Scope) -> bool:
        """True if an unresolved name is no column: a string, a whole row, a function's result."""
        found = scope.find(name, dialect=self._dialect)
        if found is Lookup.AMBIGUOUS:
            return False
        start = node.this.meta.get("start")
        if name.quoted and start is not None and self._text[start] == '"':
            if self._dialect == "sqlite" and not scope.sees("unknown"):
                self.strings.add(start)
                return True
            if self._dialect in ("", "sqlite"):
                self.strings.add(start)  # may be one: masked, and listed as unresolved too
                return False
        folded = fold_name(name.text)
        return folded in _HIDDEN or scope.source((folded,)) is not None or scope.sees("function")

    def _is_table(self, field: exp.Expr | None, named: Named) -> bool:
        """True for the table of SQLite's `x IN table`."""
        if self._dialect != "sqlite" or not isinstance(field, exp.Column) or len(field.parts) > 1:
            return False
        known = self._schema.table([Name(field.name)], dialect=self._dialect)
        return isinstance(known, Relation) or fold_name(field.name) in named

    def _miss(self, parts: Iterable[exp.Expr]) -> None:
        self.unresolved[".".join(part.name or "*" for part in parts)] = None


def _children(node: exp.Expr, *, beside: Iterable[str] = ()) -> Iterator[exp.Expr]:
    for key, value in node.args.items():
        if key in beside:
            continue
        if isinstance(value, exp.Expr):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, exp.Expr))


def _alias_columns(item: exp.Expr) -> list[str]:
    alias = item.args.get("alias")
    return [column.name for column in alias.columns] if isinstance(alias, exp.TableAlias) else []


def _is_join(item: exp.Subquery) -> bool:
    inner: exp.Expr = item
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    return isinstance(inner, exp.Table)


def _is_alias(term: exp.Expr, scope: Scope) -> bool:
    column = term.this if isinstance(term, exp.Ordered) else term
    return isinstance(column, exp.Column) and len(column.parts) == 1 and fold_name(column.name) in scope.aliases
