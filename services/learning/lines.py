"""Read one line of a query log: a JSON object with an intent and the statement executed for it.

Unknown fields are ignored; an invalid line is reported in a sentence.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graph.errors import InvalidInput
from services.identity import normal_intent
from services.learning.parsing import UnreadableSql
from services.limits import DISCOVERY_CHARACTERS
from services.texts import fault_in

LINE_CHARACTERS = 8_000_000  # a longer line is not even read as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A statement that was executed, or failed, for an intent (in normal form; None if the log has none)."""

    intent: str | None
    sql: str
    dialect: str = ""
    succeeded: bool = True
    discovery: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A line of a log (counted from 1): a statement, or why it cannot be read; None if the line is blank."""

    number: int
    found: Line | str | None


def read_json(lines: Iterable[str]) -> Iterator[Logged]:
    """Read JSON lines."""
    for number, text in enumerate(lines, start=1):
        found: Line | str | None
        try:
            found = read_line(text) if text.strip() else None
        except UnreadableSql as error:
            found = str(error)
        yield Logged(number=number, found=found)


def read_line(text: str) -> Line:
    """Read one line. Raises `UnreadableSql`."""
    if len(text) > LINE_CHARACTERS:
        raise UnreadableSql(f"the line has {len(text):,} characters, more than {LINE_CHARACTERS:,}")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableSql(f"no JSON: {str(error)[:200]}") from error
    if not isinstance(fields, dict):
        raise UnreadableSql("no JSON object with `intent` and `sql`")
    dialect, succeeded = fields.get("dialect"), fields.get("succeeded", True)
    if not isinstance(sql := fields.get("sql"), str):
        raise UnreadableSql("`sql` is missing" if sql is None else "`sql` is not text")
    if not isinstance(succeeded, bool):
        raise UnreadableSql("`succeeded` is neither true nor false")
    for name in ("dialect", "discovery"):
        if fields.get(name) is not None and (fault := fault_in(fields[name], limit=DISCOVERY_CHARACTERS)):
            raise UnreadableSql(f"`{name}`: {fault}")
    try:
        intent = normal_intent(fields.get("intent"))
    except InvalidInput as error:
        raise UnreadableSql(f"`intent`: {error.found}") from error
    return Line(intent=intent, sql=sql, dialect=dialect or "", succeeded=succeeded, discovery=fields.get("discovery"))
