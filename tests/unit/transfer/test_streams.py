"""What an import holds at once is a batch: a file ten times as long, from which the same is left, takes no more."""

from __future__ import annotations

import gc
import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.embedded import open_store
from kit.exports import exported
from kit.values.samples import AT, table
from services.transfer import import_graph

OBJECTS = 1_200  # more than a batch: an id that came again within one would end it
PASSES = (3, 15)
MOST_GROWTH = 1.25


class Stream(io.RawIOBase):
    """A file that is nowhere: each line is made when it is read, and what was read is kept by nobody else."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer, says its base
        self._rest = self._rest or next(self._lines, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def lines(whole: bytes, *, passes: int) -> Iterator[bytes]:
    """The objects of an export again and again, each time described anew, so that each is written each time."""
    head, opening, *rows, _end = whole.splitlines(keepends=True)
    yield head
    yield opening
    for number in range(passes):
        for row in rows:
            yield row.replace(b'"description":""', f'"description":"told {number} of {passes} times"'.encode())
    yield json.dumps({"row": "end", "rows": 1 + passes * len(rows)}).encode() + b"\n"


@pytest.mark.tier("test")
def test_the_memory_of_an_import_does_not_grow_with_the_file(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'graph.db'}")
    store.create_workspace("w", incarnation="a", at=AT)
    store.save_objects("w", [table(f"t{number:05}") for number in range(OBJECTS)])
    whole = exported(store, "w")
    peaks = []
    for passes in (1, *PASSES):  # the first makes what stays: the objects, and what is held of a kind once it was met
        stream = io.BufferedReader(Stream(lines(whole, passes=passes)))
        gc.collect()
        tracemalloc.start()
        report = import_graph(store, stream)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert (report.updated, report.rejections, report.truncated) == (passes * OBJECTS, 0, False)
    store.close()
    assert peaks[2] < MOST_GROWTH * peaks[1]
