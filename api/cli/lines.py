"""Files as commands read them: text of any size, and JSON lines of which a bad one is an error of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from graph.errors import NotFound


def read_text(path: Path) -> str:
    """The text of the file, of stdin for `-`; bytes that are no UTF-8 spoil only the line they are in."""
    if str(path) == "-":
        return sys.stdin.buffer.read().decode("utf-8-sig", "backslashreplace")
    try:
        return path.read_bytes().decode("utf-8-sig", "backslashreplace")
    except OSError as error:
        raise NotFound(
            f"the file {path}", found=error.strerror or str(error), hint="Give a file that is there and can be read"
        ) from error


def read_lines(path: Path) -> list[str]:
    """The lines of the file; only line feeds part them, since a string in JSON may hold other separators."""
    return read_text(path).removesuffix("\n").split("\n")


def intents(lines: list[str]) -> Iterator[tuple[str | None, str]]:
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
