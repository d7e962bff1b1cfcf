"""Which benchmarks there are, the sizes that `make bench` runs each at, and how one is run without failing the rest."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping

from benchmarks.discover_embedded import discover_embedded, discover_embedded_words
from benchmarks.rows import Row

SIZES = (1_000, 10_000, 100_000)

MEMBERS: Mapping[str, tuple[Callable[[int], Iterator[Row]], tuple[int, ...]]] = {
    "discover_embedded": (discover_embedded, SIZES),
    "discover_embedded_words": (discover_embedded_words, SIZES),
}


def run(name: str, size: int) -> list[Row]:
    """The rows of one benchmark at one size; whatever stops it is a row that says so."""
    rows: list[Row] = []
    try:
        rows.extend(MEMBERS[name][0](size))
    except Exception as error:
        rows.append(Row(name=name, size=size, baseline="", note=f"not run: {type(error).__name__}: {error}"))
    gc.collect()
    return rows
