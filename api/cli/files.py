"""Files: text, lines, and JSON lines with an error for each bad one; and replacing a file whole or not at all."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

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


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file that replaces `path` once it is on disk; after a failure the older file is unchanged. A
    pipe or a device is written directly."""
    target = path.resolve()
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("wb") as out:
            yield out
        return
    beside = target.with_name(f".{target.name[:100]}.{uuid4().hex[:8]}")
    try:
        if target.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        out = beside.open("xb")
    except OSError as error:
        raise NotFound(
            f"the file {path}",
            found=error.strerror or str(error),
            hint="Give a file in a folder that can be written to",
        ) from error
    try:
        with out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        beside.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise InvalidInput(
            f"the file {path}", found=error.strerror or str(error), hint="The older file is unchanged"
        ) from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not every system lets a folder be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
