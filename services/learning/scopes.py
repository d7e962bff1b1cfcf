"""The scope of names in one query (its own FROM, its aliases, the queries around it), and the columns that it returns.

Look-ups only; `queries` decides what is looked up, and in which order. Objects of a named or computed column are
counted in the query itself; only columns of a star remain open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sqlglot import exp

from services.learning.names import COMPUTED, Found, Lookup, Name, Relation, fold_name


@dataclass(slots=True, kw_only=True, eq=False)
class Scope:
    """One query's scope. `merged` are the columns that USING or NATURAL joined; `aliases` those of its results."""

    outer: Scope | None = None
    sources: list[tuple[tuple[str, ...], Relation]] = field(default_factory=list)
    merged: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)

    def outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def source(self, qualifier: tuple[str, ...]) -> Relation | None:
        """The nearest source of this (folded) name; a schema must match where both have one."""
        for scope in self.outwards():
            for path, relation in scope.sources:
                overlap = min(len(path), len(qualifier))
                if path and path[-overlap:] == qualifier[-overlap:]:
                    return relation
        return None

    def find(self, name: Name, *, dialect: str) -> Found:
        """Look up an unqualified name: the nearest query's columns first, then that query's aliases."""
        for scope in self.outwards():
            found = scope._own(name, dialect=dialect)
            if found is not None:
                return found
            if fold_name(name.text) in scope.aliases:
                return COMPUTED
        return None

    def sees(self, kind: Literal["unknown", "function"]) -> bool:
        """True if an unresolved name might be a column of such a source."""
        return any(getattr(relation, kind) for scope in self.outwards() for _, relation in scope.sources)

    def _own(self, name: Name, *, dialect: str) -> Found:
        hits = [
            hit for _, relation in self.sources if (hit := relation.find(name, dialect=dialect)) is not None
        ]  # two sources of one table give the same hit
        if not hits:
            return None
        if len(hits) > 1 and fold_name(name.text) in self.merged:
            return frozenset().union(*(hit for hit in hits if not isinstance(hit, Lookup)))
        return hits[0] if all(hit == hits[0] for hit in hits) else Lookup.AMBIGUOUS


def output_of(node: exp.Select, scope: Scope) -> Relation:
    output = Relation()
    for position, item in enumerate(node.expressions):
        star = item.this if isinstance(item, exp.Column) else item
        if not isinstance(star, exp.Star):
            output.add(item.alias_or_name or f"\0{position}", COMPUTED)
            continue
        left_out = {fold_name(column.name) for column in star.args.get("except_") or ()}
        if isinstance(item, exp.Column):
            relation = scope.source(tuple(fold_name(part.name) for part in item.parts[:-1]))
            _pass_on(output, [] if relation is None else [relation], merged=set(), left_out=left_out)
        else:
            _pass_on(output, [relation for _, relation in scope.sources], merged=scope.merged, left_out=left_out)
    return output


def merge_outputs(left: Relation, right: Relation) -> Relation:
    """A set operation's columns: named by the left, standing for both sides' by position."""
    output = Relation(
        unknown=left.unknown or right.unknown,
        function=left.function or right.function,
        aligned=left.aligned,
        columns=left.columns,
    )
    if not (left.aligned and right.aligned and len(left.columns) == len(right.columns)):
        return output
    output.columns = {
        folded: [(spelled[0][0], spelled[0][1] | other[0][1])]
        for (folded, spelled), other in zip(left.columns.items(), right.columns.values(), strict=True)
    }
    return output


def renamed(relation: Relation, columns: Sequence[str]) -> Relation:
    """The relation under an alias's column names, which go by position; columns after them keep theirs."""
    if not columns:
        return relation
    output = Relation(unknown=relation.unknown, function=relation.function)
    known = list(relation.columns.values()) if relation.aligned else []
    for position, name in enumerate(columns):
        output.add(name, known[position][0][1] if position < len(known) else COMPUTED)
    for spelled in known[len(columns) :]:
        output.add(*spelled[0])
    return output


def _pass_on(output: Relation, relations: Sequence[Relation], *, merged: set[str], left_out: set[str]) -> None:
    for relation in relations:
        output.unknown = output.unknown or relation.unknown
        output.function = output.function or relation.function
        output.aligned = output.aligned and relation.aligned
        for folded, spellings in relation.columns.items():
            if folded in left_out:
                continue
            if folded in merged and folded in output.columns:
                name, ids = output.columns[folded][0]
                output.columns[folded] = [(name, ids.union(*(more for _, more in spellings)))]
                continue
            for name, ids in spellings:
                output.add(name, ids)
