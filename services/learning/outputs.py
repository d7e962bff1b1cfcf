"""The columns that a query returns to the query around it: named ones, and through stars those of its tables.

Objects of a named or computed column are counted in the query itself; only columns of a star remain open.
"""

from collections.abc import Sequence

from sqlglot import exp

from services.learning.names import COMPUTED, Relation, fold_name
from services.learning.scopes import Scope


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
