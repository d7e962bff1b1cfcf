"""Progress on stderr: a bar on a terminal; exports and imports also report their rate without one."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

Report = Callable[[int, int | None], None]

WATCHED_SECONDS = 0.5
LOGGED_SECONDS = 5.0


@contextmanager
def progress(doing: str) -> Iterator[Report]:
    """Yield a function that takes how many are done, and of how many."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def rate(doing: str) -> Iterator[Report]:
    """Yield a function that takes how many rows are done, and prints that and the rate every few seconds."""
    begun = last = time.monotonic()
    watched = sys.stderr.isatty()

    def report(done: int, _total: int | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= (WATCHED_SECONDS if watched else LOGGED_SECONDS):
            last = now
            said = f"{doing}: {done:,} rows, {per_second(done, now - begun):,} rows/s"
            typer.echo(f"\r{said}" if watched else said, nl=not watched, err=True)

    try:
        yield report
    finally:
        if watched and last > begun:
            typer.echo(err=True)


def per_second(rows: int, seconds: float) -> int:
    return round(rows / max(seconds, 1e-6))
