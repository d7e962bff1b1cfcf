"""Runs the study of logs that `logs.md` shows and writes the page: `python docs/studies/logs.py`.

Kept beside it is the summary alone: the logs lie outside this repository. `--page` only writes the page from it, which
a test holds it to.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from api.wiring import now
from services.studies.logs.study import LogsProtocol, LogsStudy
from services.studies.reporting import COMPARED, comparison, table
from services.studies.running import run as run_study

HERE = Path(__file__).parent
PAGE, SUMMARY, PLOT = HERE / "logs.md", HERE / "logs.json", HERE / "logs_condensation.png"
FILES = Path(os.environ.get("RETINUE_SHARED", HERE.parents[2] / "shared")) / "data" / "condensation"
PROTOCOL = LogsProtocol(data=(str(FILES),))
BARS = {0.05: 0.55, 0.1: 0.72, 0.2: 0.84, 0.3: 0.9}  # what `default` is to hold, by share
RIVALS = ("recent", "recent@pairs=0", "similar")

Kept = Mapping[str, Any]

INTRODUCTION = """# What is kept of real logs

Every figure here is recomputed from the summary that is kept beside this page, by `python docs/studies/logs.py --page`,
and a test holds the page to it; without `--page` the command runs the study itself, on logs of code agents that lie
outside this repository. It is `retinue study logs --data FOLDER --out DIR`, which calls the same code as `retain`.

At random later steps of a log, two a session, a policy keeps a share of the tokens so far. **Held** is the share of the
identifiers that the next tool calls use, and that only chunks before the last four messages show, that what is kept
still shows. `recent` keeps the latest calls with their results, `recent@pairs=0` the latest chunks one by one.
`coverage` keeps calls with their results by the identifiers that they alone still show; `default` gives a fifth of the
budget to what the last messages ask for, with its premises, and the rest to coverage. The fifth was chosen on these
very logs, from .1, .15, .2, .25 and .3. Brackets hold 95 % bounds over resampled sessions; repositories count alike.

A log says which identifiers its agent used, not which it needed: another agent might have done without. Numbers and
words without a mark are not counted."""


def run() -> None:
    """Run the study, keep its summary and its plot."""
    with tempfile.TemporaryDirectory() as folder:
        summary = run_study(LogsStudy(PROTOCOL, encoder=None), Path(folder), clock=now, jobs=2)
        SUMMARY.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
        shutil.copy(Path(folder) / PLOT.name, PLOT)


def page(kept: Kept) -> str:
    """Return the page of a summary."""
    return "\n".join(_lines(kept)) + "\n"


def _lines(kept: Kept) -> Iterator[str]:
    yield INTRODUCTION
    macro = [row for row in kept["rows"] if row["domain"] == "macro"]
    shares = list(dict.fromkeys(row["share"] for row in macro))
    yield from ("", "## By policy and budget", "", f"{macro[0]['n']} sessions of {_domains(kept)} repositories.", "")
    yield from table(("policy", *(f">{share:.0%}" for share in shares)), _held(macro, shares, by="policy"))
    yield from ("", f"![held by budget]({PLOT.name})", "", "## The bars", "")
    yield from table(("what", ">at least", ">measured", ""), _bars(kept, macro))
    yield from ("", "## `default` by repository", "")
    own = [row for row in kept["rows"] if row["policy"] == "default" and row["domain"] != "macro"]
    yield from table(("repository", *(f">{share:.0%}" for share in shares)), _held(own, shares, by="domain"))
    yield from ("", "## Compared, session by session", "")
    compared = [it for it in kept["comparisons"] if it["domain"] == "macro"]
    yield from table(
        (">budget", "a", "b", *COMPARED),
        ((f"{it['share']:.0%}", it["a"], it["b"], *comparison(it, digits=3)) for it in compared),
    )


def _held(rows: list[Kept], shares: list[float], *, by: str) -> Iterator[tuple[str, ...]]:
    cells = {(row[by], row["share"]): f"{row['held']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" for row in rows}
    for name in dict.fromkeys(row[by] for row in rows):
        yield (f"`{name}`" if by == "policy" else name, *(cells[name, share] for share in shares))


def _bars(kept: Kept, macro: list[Kept]) -> Iterator[tuple[str, ...]]:
    for share, bar in BARS.items():
        [row] = [row for row in macro if (row["policy"], row["share"]) == ("default", share)]
        met = "met" if row["held"] >= bar else "**missed**"
        yield (f"`default` holds at {share:.0%}", f"{bar:.2f}", f"{row['held']:.3f}", met)
        for it in kept["comparisons"]:
            if (it["domain"], it["share"], it["a"]) == ("macro", share, "default") and it["b"] in RIVALS:
                met = "met" if it["low"] > 0 else "**missed**"
                yield (f"`default` minus `{it['b']}` at {share:.0%}, lower bound", "above 0", f"{it['low']:+.3f}", met)
    torn = sum(row["torn"] for row in macro if "pairs=0" not in row["policy"])
    yield ("calls and results kept without each other, all shares", "0", f"{torn}", "met" if not torn else "**missed**")


def _domains(kept: Kept) -> int:
    return len({row["domain"] for row in kept["rows"]}) - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the page")
    if not parser.parse_args().page:
        run()
    PAGE.write_text(page(json.loads(SUMMARY.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
