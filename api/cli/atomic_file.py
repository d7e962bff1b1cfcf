"""Writing a file so that it is there whole, or as it was before: what breaks off half-way leaves the older one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from graph.errors import InvalidInput, NotFound


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """The file to write to; it takes the place of `path` once all of it is on disk. A pipe or a device is written to
    as it is."""
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
            f"the file {path}", found=error.strerror or str(error), hint="What was there before is as it was"
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
