"""`python -m benchmarks` runs all and writes `results.json` and `docs/performance.md`; `NAME --size N` runs one."""

from __future__ import annotations

import argparse
from time import monotonic

from benchmarks.members import MEMBERS, run
from benchmarks.report import write_results
from benchmarks.rows import Row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", choices=[[], *MEMBERS], metavar="NAME", help=", ".join(MEMBERS))
    parser.add_argument("--size", type=int, nargs="*", help="objects; without it the sizes of `make bench`")
    parser.add_argument("--keep", action="store_true", help="put what was run into the results that are there")
    asked = parser.parse_args()
    rows: list[Row] = []
    begin = monotonic()
    for name in asked.name or MEMBERS:
        for size in asked.size or MEMBERS[name][1]:
            for row in run(name, size):
                rows.append(row)
                print(f"{monotonic() - begin:5.0f} s  {row}", flush=True)
            if not asked.name or asked.keep:  # a run that is cut off has kept what it had
                write_results(rows, order=tuple(MEMBERS), keep=True)
    if not asked.name:
        write_results(rows, order=tuple(MEMBERS), keep=False)


if __name__ == "__main__":
    main()
