"""Runs a study: its parts in one process or several, then manifest, raw rows, summary, report and plots in a folder.

Files are equal byte for byte for equal inputs; times stand in the manifest alone. What a study measures is not here.
"""

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from graph.errors import InvalidInput
from services.studies.plotting import can_plot

PACKAGES = ("retinue", "numpy", "sqlglot", "sentence-transformers", "torch")

Row = Mapping[str, Any]
Part = Callable[[], list[dict[str, Any]]]
"""A piece of a study's work: returns its raw rows. It is pickled where several processes run."""

Progress = Callable[[int, int | None], None]


class Study(Protocol):
    """The part of a study that `run` needs. `protocol` is a dataclass with `data` and `seed` among its fields."""

    name: str
    protocol: Any
    encoder_name: str  # the neural model, or `none`
    left_out: tuple[str, ...]  # what was asked for and cannot be run, in words
    total: int | None  # how many rows there will be, where that is known
    parallel: bool  # whether parts may run in other processes

    def parts(self) -> Iterable[Part]:
        """Return the work, in the order of its rows."""

    def inputs(self) -> dict[str, Any]:
        """Return what the manifest says of the data, digests included."""

    def summarise(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the summary, from the rows alone."""

    def report(self, summary: Row, manifest: Row) -> Iterator[str]:
        """Yield the lines of the report in Markdown."""

    def draw(self, summary: Row, manifest: Row, *, rows: Sequence[Row], out: Path) -> None:
        """Write the plots into `out`, as far as matplotlib is installed."""


def run(
    study: Study,
    out: Path | None,
    *,
    clock: Callable[[], datetime],
    protocol_file: str | None = None,
    exploratory: bool = False,
    jobs: int = 1,
    progress: Progress = lambda _done, _total: None,
) -> dict[str, Any]:
    """Run a study and write its files into `out` (None: write nothing).

    Returns the summary and, as `left_out`, what could not be done. Raises `InvalidInput` where the folder holds a run
    of another protocol file and this one is not `exploratory`, and where `jobs` processes cannot be had.
    """
    if jobs != 1 and not study.parallel:
        raise InvalidInput(f"--jobs {jobs} over a store", found="only one process can use it", hint="Leave --jobs out")
    if out is not None and not exploratory:
        _check_unchanged(out / "manifest.json", protocol_file)
    began = clock()
    rows: list[dict[str, Any]] = []
    for found in _results(list(study.parts()), jobs=jobs):
        rows += found
        progress(len(rows), study.total)
    summary = study.summarise(rows)
    left_out = list(study.left_out)
    if out is None:
        return summary | {"left_out": left_out}
    protocol = asdict(study.protocol)
    manifest = {
        "study": study.name,
        "protocol": protocol | {"data": [Path(place).name for place in protocol["data"]]},
        "protocol_file": protocol_file,
        "exploratory": exploratory,
        "encoder": study.encoder_name,
        "left_out": left_out,
        **study.inputs(),
        "digests": {"protocol": _digest_of(protocol), "rows": _digest_of(rows)},
        "versions": _versions(),
        "seed": protocol["seed"],
        "began": began.isoformat(),
        "ended": clock().isoformat(),
    }
    out.mkdir(parents=True, exist_ok=True)
    with (out / "rows.jsonl").open("w", encoding="utf-8", newline="\n") as opened:
        opened.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    write_json(out / "summary.json", summary)
    write_json(out / "manifest.json", manifest)
    (out / "report.md").write_text("\n".join(study.report(summary, manifest)) + "\n", encoding="utf-8")
    study.draw(summary, manifest, rows=rows, out=out)
    if not can_plot():
        left_out = [*left_out, "plots: matplotlib is not installed; the extra `studies` brings it"]
    return summary | {"left_out": left_out}


def write_json(file: Path, value: Any) -> None:
    """Write one JSON value, indented; refuses NaN and infinities."""
    file.write_text(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _results(parts: Sequence[Part], *, jobs: int) -> Iterable[list[dict[str, Any]]]:
    """The rows of each part, in order, as they are done."""
    if jobs == 1:
        return (part() for part in parts)
    try:
        from joblib import Parallel, delayed
    except ImportError as error:
        raise InvalidInput(
            f"--jobs {jobs}", found="joblib is not installed", hint="Install the extra `studies`, or use --jobs 1"
        ) from error
    found: Iterable[list[dict[str, Any]]] = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(part)() for part in parts
    )
    return found


def _check_unchanged(manifest: Path, protocol_file: str | None) -> None:
    if protocol_file is None or not manifest.exists():
        return
    before = json.loads(manifest.read_text(encoding="utf-8")).get("protocol_file")
    if before not in (None, protocol_file):
        raise InvalidInput(
            "the protocol file",
            found="it has changed since its first run in this folder",
            hint="Run it with --exploratory, which the report will say, or into another folder",
        )


def _digest_of(value: Any) -> str:
    return sha256(json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
