"""Benchmarks: rows in their published form, what cannot run said in a row, and the page made from the results alone."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT))

from benchmarks import members, report  # noqa: E402 - they are no package of the product
from benchmarks.bars import BARS, slope  # noqa: E402
from benchmarks.http_overhead import in_words  # noqa: E402
from benchmarks.rows import Row, paired_difference  # noqa: E402

FORM = {"name", "size", "seconds", "baseline", "baseline_seconds", "ratio", "note"}


@pytest.mark.parametrize(
    "name", ["discover_embedded", "discover_embedded_words", "open_embedded", "http_overhead", "live_set_embedded"]
)
def test_a_small_run_gives_rows_in_their_form(name: str) -> None:
    rows = [row.as_json() for row in members.run(name, 60)]
    assert rows
    for row in rows:
        assert row.keys() >= FORM
        assert (row["name"], row["size"]) == (name, 60)
        assert isinstance(row["seconds"], float), row["note"]
        assert isinstance(row["baseline_seconds"], float)
        assert row["ratio"] == pytest.approx(row["seconds"] / row["baseline_seconds"])


def test_what_cannot_run_is_a_row_that_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_size: int) -> None:
        raise RuntimeError("no server here")

    monkeypatch.setattr(members, "MEMBERS", {"broken": (broken, (10,))})
    [row] = members.run("broken", 10)
    assert row.as_json()["ratio"] is None
    assert "no server here" in row.note


def test_each_bar_is_of_a_benchmark_that_there_is() -> None:
    made = {
        "_clients": "",
        "recall_": "discover_",
        "memory_embedded_words": "memory_embedded",
        **dict.fromkeys(("retain_onehop", "retain_closure", "retain_default"), "retention"),
        **dict.fromkeys(("beliefs_build", "beliefs_add_100"), "retention"),
        **dict.fromkeys(("retain_10k_networkx", "retain_10k_lists"), "retain_10k"),
    }  # rows that another benchmark gives beside its own
    for bar in BARS:
        name = bar.name
        for said, meant in made.items():
            name = name.replace(said, meant)
        assert name in members.MEMBERS


def test_what_is_added_is_the_median_of_pairs_with_its_bounds() -> None:
    """A constant below the noise of single requests is found; where nothing is added the bounds hold 0."""
    draw = np.random.default_rng(5)
    shared = draw.exponential(0.007, 400)  # what both calls of a pair meet alike
    one, other = (shared + draw.normal(0, 0.002, 400) for _ in range(2))
    added, low, high = paired_difference([it + 0.001 for it in one], list(other))
    assert low < 0.001 < high
    assert low > 0.0005
    assert low <= added <= high < 0.0015
    _, low, high = paired_difference(list(one), list(other))
    assert low < 0 < high
    assert "below the noise" in in_words((0.0, low, high))
    assert in_words((0.0012, 0.0011, 0.0014)) == "1.20 ms (1.10 to 1.40) over"


def test_only_pairs_count_for_the_bar_of_rest() -> None:
    (bar,) = (bar for bar in BARS if bar.name == "http_overhead")
    row = Row(name="http_overhead", size=1, seconds=0.009, baseline="b", baseline_seconds=0.005)
    assert bar.figure([row.as_json()]) is None
    assert bar.figure([replace(row, difference=(0.001, 0.0008, 0.0021)).as_json()]) == 0.0021


def test_a_slope_is_the_power_of_the_size() -> None:
    rows = [Row(name="n", size=size, seconds=size**1.1, baseline="").as_json() for size in (1_000, 10_000, 100_000)]
    assert slope(rows) == pytest.approx(1.1)


def test_the_page_is_made_from_the_results_alone() -> None:
    """Neither is there without the other: figures that no run has written stand on no page."""
    assert report.PAGE.exists() == report.RESULTS.exists()
    if report.RESULTS.exists():
        rows = json.loads(report.RESULTS.read_text(encoding="utf-8"))
        assert report.PAGE.read_text(encoding="utf-8") == "\n".join(report.page(rows)) + "\n"
