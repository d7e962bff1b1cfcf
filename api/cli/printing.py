"""Output of commands: one JSON value, or aligned text.

Control characters are removed from text, so that a stored description cannot control a terminal.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import typer

from api.cli.invocation import invocation_of


def emit(context: typer.Context, value: Any, human: Callable[[], Iterable[str]]) -> None:
    """Print `value` as JSON with `--json`, else the lines of `human`."""
    if invocation_of(context).as_json:
        typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))
        return
    for line in human():
        typer.echo(clean(line))


def emit_page(context: typer.Context, page: Mapping[str, object], human: Callable[[], Iterable[str]]) -> None:
    """Print a page of a listing as `emit` does, and on stderr the cursor of the next one."""
    emit(context, page, human)
    if page["next_cursor"]:
        note(f"There are more: --cursor {page['next_cursor']}")


def note(text: str) -> None:
    """Print a note on stderr."""
    typer.echo(clean(text), err=True)


def clean(text: str) -> str:
    return "".join(
        " " if c in "\n\t" else c if unicodedata.category(c) != "Cc" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def table(header: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[int] = ()) -> list[str]:
    """Return aligned lines; the columns in `right` are right-aligned. None is an empty cell."""
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        padded = [_pad(text, widths[i], right=i in right) for i, text in enumerate(row)]
        lines.append("  ".join(padded).rstrip())
    return lines


def width(text: str) -> int:
    """Return the columns that the text takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def signed(number: float, places: int = 3) -> str:
    """Return the number with its sign; what rounds to zero is +0."""
    return f"{round(number, places) + 0.0:+.{places}f}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{round(value, 4) + 0.0:.4f}" if isinstance(value, float) else clean(str(value))


def _pad(text: str, columns: int, *, right: bool) -> str:
    blanks = " " * (columns - width(text))
    return blanks + text if right else text + blanks


def clipped(text: str, columns: int) -> str:
    """Return the text in exactly so many columns, cut or padded."""
    shown = clean(text)
    while width(shown) > columns:
        shown = shown[:-2] + "…"
    return shown + " " * (columns - width(shown))
