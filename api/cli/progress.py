"""Progress on stderr: a bar where somebody looks at it, nothing where a program reads; long moves of rows say how
fast they go in either case."""

from __future__ import annotations

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
    """A function to tell how many are done, of how many."""
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
    """A function to tell how many rows are done: stderr says so every few seconds, with the rows in a second."""
    begun = told = time.monotonic()
    watched = sys.stderr.isatty()

    def report(done: int, _total: int | None) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= (WATCHED_SECONDS if watched else LOGGED_SECONDS):
            told = now
            said = f"{doing}: {done:,} rows, {per_second(done, now - begun):,} rows/s"
            typer.echo(f"\r{said}" if watched else said, nl=not watched, err=True)

    try:
        yield report
    finally:
        if watched and told > begun:
            typer.echo(err=True)


def per_second(rows: int, seconds: float) -> int:
    return round(rows / max(seconds, 1e-6))
