"""One line of a query log: a JSON object with an intent and the statement that ran for it.

Fields that are not ours are passed over; what is wrong with a line is said in a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graph.errors import InvalidInput
from services.identity import normal_intent
from services.learning.parsing import Unreadable
from services.texts import fault_in

LINE_CHARACTERS = 8_000_000  # a longer line is not even read as JSON
NAME_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A statement that ran, or failed, for an intent (in normal form; None where nobody said one)."""

    intent: str | None
    sql: str
    dialect: str = ""
    succeeded: bool = True
    discovery: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """What stands in a log at this line (counted from 1): a statement, or why there is none to be read."""

    number: int
    found: Line | str


class Counted:
    """Lines, and the number of the last one that was taken."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for self.number, text in enumerate(self._lines, start=1):  # noqa: B020
            yield text


def read_lines(lines: Iterable[str]) -> Iterator[Logged]:
    """JSON lines that are not blank, each read or told what is wrong with it."""
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            yield Logged(number=number, found=read_line(text))
        except Unreadable as error:
            yield Logged(number=number, found=str(error))


def read_line(text: str) -> Line:
    """The line. Raises `Unreadable`."""
    if len(text) > LINE_CHARACTERS:
        raise Unreadable(f"the line has {len(text):,} characters, more than {LINE_CHARACTERS:,}")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"no JSON: {str(error)[:200]}") from error
    if not isinstance(fields, dict):
        raise Unreadable("no JSON object with `intent` and `sql`")
    dialect, succeeded = fields.get("dialect"), fields.get("succeeded", True)
    if not isinstance(sql := fields.get("sql"), str):
        raise Unreadable("`sql` is missing" if sql is None else "`sql` is not text")
    if not isinstance(succeeded, bool):
        raise Unreadable("`succeeded` is neither true nor false")
    for name in ("dialect", "discovery"):
        if fields.get(name) is not None and (fault := fault_in(fields[name], limit=NAME_CHARACTERS)):
            raise Unreadable(f"`{name}`: {fault}")
    try:
        intent = normal_intent(fields.get("intent"))
    except InvalidInput as error:
        raise Unreadable(f"`intent`: {error.found}") from error
    return Line(intent=intent, sql=sql, dialect=dialect or "", succeeded=succeeded, discovery=fields.get("discovery"))
