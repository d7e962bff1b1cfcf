"""The two forms in which results are kept: `results.json`, and the page `docs/performance.md` made out of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rows import Row

RESULTS = Path(__file__).parent / "results.json"


def write_results(rows: Sequence[Row], *, keep: bool) -> None:
    """Keeps the rows; with `keep` beside those of other benchmarks and sizes that are there."""
    made = [row.as_json() for row in rows]
    if keep and RESULTS.exists():
        new = {(row["name"], row["size"]) for row in made}
        old = json.loads(RESULTS.read_text(encoding="utf-8"))
        made = [row for row in old if (row["name"], row["size"]) not in new] + made
    RESULTS.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
