"""Atomic replacement of a file: after a failure the older file is unchanged."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from graph.errors import InvalidInput, NotFound


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file that replaces `path` once it is on disk; a pipe or a device is written directly."""
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
