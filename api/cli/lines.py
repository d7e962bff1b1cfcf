"""Files as commands read them: text of any size, and JSON lines of which a bad one is an error of its own."""

from __future__ import annotations

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
    """The lines of the file, of stdin for `-`; bytes that are no UTF-8 spoil only the line they are in.

    Only line feeds part lines, since a string in JSON may hold other separators.
    """
    with (
        open_bytes(path) as raw,
        TextIOWrapper(raw, encoding="utf-8-sig", errors="backslashreplace", newline="\n") as text,
    ):
        yield iter(text)


def read_text(path: Path) -> str:
    """The whole text of the file, of stdin for `-`; a byte order mark is passed over."""
    with open_bytes(path) as raw:
        data = raw.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the file {path}", found="it is not text in UTF-8", hint="Save it as UTF-8") from error


def open_bytes(path: Path) -> BinaryIO:
    """The file, stdin for `-`, as bytes."""
    try:
        return sys.stdin.buffer if str(path) == "-" else path.open("rb")
    except OSError as error:
        raise NotFound(
            f"the file {path}", found=error.strerror or str(error), hint="Give a file that is there and can be read"
        ) from error


def intents(lines: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """For each line that is not blank: its intent, or None and what is wrong with it."""
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
