"""SQL text becomes statements and tokens, or a sentence that says why not.

Bounded on purpose: a statement from a log is somebody else's input, of any size and any shape.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sqlglot import Token, exp
from sqlglot.dialects.dialect import Dialect, Dialects
from sqlglot.errors import ParseError, SqlglotError

from services.texts import fault_in

MAX_CHARACTERS = 1_000_000  # parsing takes some 3 s per million, and no query that a person reads is longer

# What sqlglot falls back to is an error of ours, told by line; its warnings would only repeat it on stderr.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Script:
    """Statements in order, with the text and the tokens that they came from. `dialect` is the one that read it."""

    text: str
    dialect: str
    tokens: tuple[Token, ...]
    statements: tuple[exp.Expr, ...]


class Unreadable(Exception):
    """The text is no SQL that can be learned from; the message says why."""


def parse_sql(sql: str, *, dialect: str = "") -> Script:
    """The script; where no dialect is named, SQLite's wider quoting ([a], `a`) is tried second."""
    if not sql.strip():
        raise Unreadable("the statement is empty")
    if fault := fault_in(sql, limit=MAX_CHARACTERS, layout=True):
        raise Unreadable(f"the statement: {fault}")
    name = dialect.strip().lower()
    try:
        return _parse(sql, dialect=name)
    except Unreadable:
        if name:
            raise
        try:
            return _parse(sql, dialect="sqlite")
        except Unreadable:
            pass
        raise


def known_dialect(dialect: str) -> bool:
    """Whether statements of this dialect can be read; the empty name is SQL in general."""
    return dialect.strip().lower() in _DIALECTS


_DIALECTS = frozenset(member.value for member in Dialects)


def _parse(sql: str, *, dialect: str) -> Script:
    if dialect not in _DIALECTS:
        raise Unreadable(f"no dialect {dialect!r} is known; known are {', '.join(sorted(filter(None, _DIALECTS)))}")
    try:
        reader = Dialect.get_or_raise(dialect)
        tokens = reader.tokenize(sql)
        trees = reader.parser().parse(tokens, sql)
    except ParseError as error:
        raise Unreadable(_sentence(error)) from error
    except SqlglotError as error:
        raise Unreadable(f"the statement cannot be split into words: {str(error)[:200]}") from error
    except RecursionError as error:
        raise Unreadable("the statement is nested too deeply") from error
    except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:  # faults of the parser itself
        raise Unreadable(f"the statement cannot be parsed ({type(error).__name__})") from error
    statements = tuple(tree for tree in trees if tree is not None)
    if not statements:
        raise Unreadable("there is no statement, only comments or blanks")
    return Script(text=sql, dialect=dialect, tokens=tuple(tokens), statements=statements)


def _sentence(error: ParseError) -> str:
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "")[:40]
    return (
        f"{str(first.get('description') or 'it cannot be parsed').rstrip('.')}, "
        f"line {first.get('line', '?')}, column {first.get('col', '?')}, near {near!r}"
    )
