"""Split SQL scripts into statements, each parsed by itself: an unreadable one does not affect the others.

The parts of dumps that are no SQL (data of COPY, commands of clients) are removed first.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

logging.getLogger("sqlglot").addHandler(logging.NullHandler())  # unsupported statements are reported by item

_COPIED = re.compile(r"^COPY\b[^;]*\bFROM\s+stdin\b[^;]*;.*?^\\\.$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_CLIENT = re.compile(r"^(?:\\\w.*|GO|DELIMITER\b.*)$", re.MULTILINE | re.IGNORECASE)
LABEL_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statement:
    """A statement: a label from its beginning; its tree, or why there is none."""

    label: str
    tree: exp.Expr | None
    fault: str | None = None


def cut_script(text: str) -> str:
    """Remove the parts that are no SQL; a client's command that ended a statement becomes a semicolon."""
    return _CLIENT.sub(";", _COPIED.sub(lambda copied: ";" + "\n" * copied[0].count("\n"), text))


def read_statements(text: str, *, dialect: str) -> Iterator[Statement]:
    """Parse the statements of a script (see `cut_script`). Raises sqlglot's `TokenError` if it cannot be tokenised."""
    reader = Dialect.get_or_raise(dialect)
    chunk: list[Token] = []
    number = 0
    for token in [*reader.tokenize(text), None]:
        if token is not None and token.token_type != TokenType.SEMICOLON:
            chunk.append(token)
            continue
        if chunk:
            number += 1
            yield _read(reader, chunk, text, number)
        chunk = []


def _read(reader: Dialect, tokens: list[Token], text: str, number: int) -> Statement:
    written = " ".join(text[tokens[0].start : tokens[-1].end + 1].split())
    label = f"statement {number}: {written[:LABEL_CHARACTERS]}{'…' if len(written) > LABEL_CHARACTERS else ''}"
    try:
        trees = [tree for tree in reader.parser().parse(tokens, text) if tree is not None]
    except SqlglotError as error:
        fault = str((getattr(error, "errors", None) and error.errors[0].get("description")) or error)  # type: ignore[attr-defined]
        return Statement(label=label, tree=None, fault=f"it cannot be parsed: {fault[:200]}")
    except RecursionError:
        return Statement(label=label, tree=None, fault="it is nested too deeply")
    except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:  # faults of the parser itself
        return Statement(label=label, tree=None, fault=f"it cannot be parsed ({type(error).__name__})")
    return Statement(label=label, tree=trees[0] if trees else None)
