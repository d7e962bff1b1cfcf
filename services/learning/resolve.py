"""Resolve the data objects that a script uses: every column through its scopes, nothing guessed.

A column includes its table; `SELECT *` counts for its tables alone; names that resolve to nothing, or to several
things, are listed as written.
"""

from dataclasses import dataclass

from sqlglot import exp

from services.learning.names import Schema
from services.learning.parsing import SqlScript, UnreadableSql
from services.learning.queries import Named, Reader
from services.learning.writes import resolve_write


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """`objects` (ids, sorted) that the statements read; `unresolved` names as written, in order; `strings` are the
    offsets of double-quoted words that are, or may be, literals."""

    objects: tuple[str, ...]
    unresolved: tuple[str, ...]
    strings: frozenset[int]


def resolve(script: SqlScript, schema: Schema) -> Resolution:
    """Resolve a script. Raises `UnreadableSql` for statements of another kind, or nested too deeply."""
    reader = Reader(script, schema, write=resolve_write)
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
        objects=tuple(sorted(reader.used)),
        unresolved=tuple(reader.unresolved),
        strings=frozenset(reader.strings),
    )
