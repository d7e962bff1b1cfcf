"""Reading files: text, lines, and JSON lines with an error for each bad one."""

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from graph.errors import InvalidInput, NotFound


@contextmanager
def read_lines(path: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of the file, of stdin for `-`; invalid UTF-8 spoils only its own line.

    Only line feeds separate lines, since a JSON string may hold other separators.
    """
    with (
        open_bytes(path) as raw,
        TextIOWrapper(raw, encoding="utf-8-sig", errors="backslashreplace", newline="\n") as text,
    ):
        yield iter(text)


def read_text(path: Path) -> str:
    """Return the text of the file, of stdin for `-`, without a byte order mark."""
    with open_bytes(path) as raw:
        data = raw.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the file {path}", found="it is not UTF-8 text", hint="Save it as UTF-8") from error


def open_bytes(path: Path) -> BinaryIO:
    """Open the file, stdin for `-`, in binary mode."""
    try:
        return sys.stdin.buffer if str(path) == "-" else path.open("rb")
    except OSError as error:
        raise NotFound(
            f"the file {path}", found=error.strerror or str(error), hint="Give a file that exists and can be read"
        ) from error


def intents(lines: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """Yield for each line that is not blank its intent, or None and the error."""
    for line in lines:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield None, f"not JSON: {error}"
            continue
        intent = record.get("intent") if isinstance(record, dict) else None
        if isinstance(intent, str):
            yield intent, ""
        else:
            yield None, 'not an object with an "intent" of text'
