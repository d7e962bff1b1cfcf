"""Parse SQL text into statements and tokens, or say in a sentence why it cannot be parsed.

Bounded on purpose: statements from logs are untrusted input of any size and shape.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass

from sqlglot import Token, exp
from sqlglot.dialects.dialect import Dialect, Dialects
from sqlglot.errors import ParseError, SqlglotError

from services.limits import STATEMENT_CHARACTERS
from services.texts import fault_in

# Unsupported statements are reported by line; sqlglot's warnings would repeat that on stderr.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SqlScript:
    """Parsed statements in order, with their text and tokens. `dialect` is the one that parsed it."""

    text: str
    dialect: str
    tokens: tuple[Token, ...]
    statements: tuple[exp.Expr, ...]


class UnreadableSql(Exception):
    """The SQL cannot be learned from; the message says why."""


def parse_sql(sql: str, *, dialect: str = "") -> SqlScript:
    """Parse a script; without a dialect, SQLite's wider quoting ([a], `a`) is tried second. Raises `UnreadableSql`."""
    if not sql.strip():
        raise UnreadableSql("the statement is empty")
    if fault := fault_in(sql, limit=STATEMENT_CHARACTERS, layout=True):
        raise UnreadableSql(f"the statement: {fault}")
    name = dialect.strip().lower()
    try:
        return _parse(sql, dialect=name)
    except UnreadableSql:
        with suppress(UnreadableSql):
            if not name:
                return _parse(sql, dialect="sqlite")
        raise


def known_dialect(dialect: str) -> bool:
    """True if statements of this dialect can be parsed; the empty name is generic SQL."""
    return dialect.strip().lower() in _DIALECTS


_DIALECTS = frozenset(member.value for member in Dialects)


def _parse(sql: str, *, dialect: str) -> SqlScript:
    if dialect not in _DIALECTS:
        raise UnreadableSql(f"no dialect {dialect!r} is known; known are {', '.join(sorted(filter(None, _DIALECTS)))}")
    try:
        reader = Dialect.get_or_raise(dialect)
        tokens = reader.tokenize(sql)
        trees = reader.parser().parse(tokens, sql)
    except ParseError as error:
        raise UnreadableSql(_sentence(error)) from error
    except SqlglotError as error:
        raise UnreadableSql(f"the statement cannot be split into words: {str(error)[:200]}") from error
    except RecursionError as error:
        raise UnreadableSql("the statement is nested too deeply") from error
    except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:  # faults of the parser itself
        raise UnreadableSql(f"the statement cannot be parsed ({type(error).__name__})") from error
    statements = tuple(tree for tree in trees if tree is not None)
    if not statements:
        raise UnreadableSql("there is no statement, only comments or blanks")
    return SqlScript(text=sql, dialect=dialect, tokens=tuple(tokens), statements=statements)


def _sentence(error: ParseError) -> str:
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "")[:40]
    return (
        f"{str(first.get('description') or 'it cannot be parsed').rstrip('.')}, "
        f"line {first.get('line', '?')}, column {first.get('col', '?')}, near {near!r}"
    )
