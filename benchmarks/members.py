"""Which benchmarks there are, the sizes that `make bench` runs each at, and how one is run without failing the rest."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks.chunks_at_once import chunks_at_once
from benchmarks.discover_embedded import discover_embedded, discover_embedded_words, memory_embedded
from benchmarks.discover_neo4j import discover_neo4j
from benchmarks.http_overhead import http_overhead
from benchmarks.import_embedded import import_embedded
from benchmarks.import_neo4j import import_neo4j
from benchmarks.live_set import live_set_embedded, live_set_neo4j
from benchmarks.opening import cold_discover, open_embedded
from benchmarks.retain_neo4j import retain_neo4j
from benchmarks.retention_plain import retain_10k
from benchmarks.retention_speed import measure as retention
from benchmarks.rows import Row
from benchmarks.servers import LINES
from benchmarks.write_embedded import learn_embedded, write_embedded

SIZES = (1_000, 10_000, 100_000)

MEMBERS: Mapping[str, tuple[Callable[[int], Iterator[Row]], tuple[int, ...]]] = {
    "discover_embedded": (discover_embedded, SIZES),
    "discover_embedded_words": (discover_embedded_words, SIZES),
    "memory_embedded": (memory_embedded, SIZES[1:]),
    "write_embedded": (write_embedded, SIZES),
    "learn_embedded": (learn_embedded, SIZES),
    "import_embedded": (import_embedded, SIZES),
    **{f"import_{line}": (partial(import_neo4j, line=line), SIZES) for line in LINES},
    **{f"discover_{line}": (partial(discover_neo4j, line=line), SIZES[-1:]) for line in LINES},
    "http_overhead": (http_overhead, (10_000,)),
    "open_embedded": (open_embedded, SIZES),
    "cold_discover": (cold_discover, SIZES),
    "retention": (retention, (100_000, 1_000_000)),
    "chunks_at_once": (chunks_at_once, SIZES[1:]),
    "retain_10k": (retain_10k, (10_000,)),
    "live_set_embedded": (live_set_embedded, SIZES[1:2]),
    **{f"live_set_{line}": (partial(live_set_neo4j, line=line), SIZES[1:2]) for line in LINES},
    **{f"retain_{line}": (partial(retain_neo4j, line=line), SIZES[1:]) for line in LINES},
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
