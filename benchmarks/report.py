"""The two forms in which results are kept: `results.json`, and the page `docs/performance.md` made out of it alone."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from benchmarks.bars import BARS, Bar, Kept, slope
from benchmarks.rows import Row

RESULTS = Path(__file__).parent / "results.json"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"

INTRODUCTION = """# What Retinue costs

Made by `make bench`, which runs everything below on one machine and writes `benchmarks/results.json`; nothing here is
typed by hand, and what the last runs did not reach says so. A baseline ran in turn with the figure that it stands
beside, in the same process or against the same server, so that ratios hold where milliseconds do not: what an answer
is made of (bare matrix products, bare index queries), what a write is made of (a bare commit, a raw UNWIND). Times
are medians, of 40 requests unless a row says otherwise; what REST adds to an answer is the median of paired
differences, with the 95 % interval of that median. Warehouses, memories, questions and embeddings are synthetic
(`benchmarks/synthetic.py`). A slope is the power of the size with which seconds grow, from the smallest size to the
largest.
"""


def write_results(rows: Sequence[Row], *, order: Sequence[str], keep: bool) -> None:
    """Keeps the rows; with `keep` beside those of other benchmarks and sizes that are there. Then makes the page."""
    made: list[Kept] = [{**row.as_json(), "machine": machine()} for row in rows]
    if keep and RESULTS.exists():
        new = {(row["name"], row["size"]) for row in made}
        made += [row for row in read_results() if (row["name"], row["size"]) not in new]
    place = {name: number for number, name in enumerate(order)}
    made.sort(key=lambda row: (place.get(str(row["name"]), len(place)), str(row["name"]), int(str(row["size"]))))
    RESULTS.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write_page()


def read_results() -> list[Kept]:
    rows: list[Kept] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return rows


def write_page() -> None:
    PAGE.write_text("\n".join(page(read_results())) + "\n", encoding="utf-8")


def machine() -> str:
    """What the row was measured on, and how busy that was."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, numpy {version('numpy')}, "
        f"SQLite {sqlite3.sqlite_version}, Neo4j driver {version('neo4j')}; load {load}"
    )


def page(rows: Sequence[Kept]) -> Iterator[str]:
    by_name = {name: list(own) for name, own in groupby(rows, key=lambda row: str(row["name"]))}
    yield INTRODUCTION
    yield "## The bars\n"
    yield "| benchmark | bar | measured | |"
    yield "|---|---|---|---|"
    for bar in BARS:
        yield _bar(bar, by_name.get(bar.name, []))
    yield "\n## The figures\n"
    yield "| benchmark | size | time | baseline | ratio | slope | |"
    yield "|---|---|---|---|---|---|---|"
    for name, own in by_name.items():
        grown = slope(own)
        for row in own:
            yield _figure(row, name=name, grown=grown if row is own[-1] else None)
    yield "\n## Where it ran\n"
    yield from (f"- {it}" for it in sorted({str(row["machine"]) for row in rows}))


def _bar(bar: Bar, rows: Sequence[Kept]) -> str:
    figure = bar.figure(rows)
    if figure is None:
        return f"| `{bar.name}` | {bar.says} | not measured | |"
    return (
        f"| `{bar.name}` | {bar.says} | {bar.shown.format(figure)} | {'met' if figure <= bar.most else '**missed**'} |"
    )


def _figure(row: Kept, *, name: str, grown: float | None) -> str:
    if row["seconds"] is None:
        return f"| `{name}` | {row['size']:,} | | | | | {row['note']} |"
    bare = "" if row["baseline_seconds"] is None else f"{_time(row['baseline_seconds'])}: {row['baseline']}"
    ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
    rise = "" if grown is None else f"{grown:.2f}"
    return f"| `{name}` | {row['size']:,} | {_time(row['seconds'])} | {bare} | {ratio} | {rise} | {row['note']} |"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


if __name__ == "__main__":
    write_page()
