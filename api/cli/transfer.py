"""`retinue export` and `retinue import`: a graph as one file, from any store into any other."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli import exits
from api.cli.files import open_bytes, replacing
from api.cli.invocation import invocation_of, opened
from api.cli.printing import clean, counted, emit, note
from api.cli.progress import per_second, rate
from api.forms.values import plain
from graph.errors import NotFound

if TYPE_CHECKING:
    from services.transfer import ExportReport, ImportReport

Only = Annotated[list[str] | None, typer.Option("--only", metavar="NAME", help="Only this workspace (several).")]


def export_file(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="The file to write; - is stdout. An older file is replaced once all is written.")
    ],
    only: Only = None,
) -> None:
    """Write all workspaces, or some, to one file.

    It holds canonical JSON lines, equal for equal graphs in any store: tables, columns, references (gone ones too),
    memories with outcomes and states, sessions, embeddings. Derived data (expectations, indexes) and records of
    discoveries are left out.
    """
    from services.transfer import export_graph

    to_stdout = str(file) == "-"
    _check(context, to_stdout=to_stdout)
    begun = time.monotonic()
    with opened(context) as (services, _), _written(file) as write, rate("exporting") as report:
        done = export_graph(services.store, write, only=only, progress=report)
    seconds = time.monotonic() - begun
    for name in done.moved:
        note(f"Note: {name} changed during the export; its rows are not of one snapshot.")
    said = f"Exported {_what(done, seconds)}."
    if to_stdout:
        note(said)
    else:
        emit(context, _json(done, seconds, "workspaces rows moved"), lambda: [said])


def import_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `retinue export` has written; - is stdin.")],
    only: Only = None,
) -> None:
    """Import a file of `retinue export` into this store.

    Rows of the file overwrite those of the store, memories with their revision; nothing is deleted. Idempotent: an
    interrupted import is completed by running it again. Invalid lines are reported, and the others imported.
    """
    from services.transfer import import_graph

    _check(context, to_stdout=False)
    begun = time.monotonic()
    with open_bytes(file) as source, opened(context) as (services, _), rate("importing") as report:
        done = import_graph(services.store, source, only=only, progress=report)
    seconds = time.monotonic() - begun
    for line in done.rejected:
        note(f"Rejected line {line.line}: {line.reason}")
    if done.rejections > len(done.rejected):
        note(f"Rejected {done.rejections - len(done.rejected):,} more lines.")
    fields = "workspaces imported updated unchanged rejected rejections truncated"
    rejected = [{"line": it.line, "reason": it.reason} for it in done.rejected]
    said = (
        f"{done.imported:,} imported, {done.updated:,} updated, {done.unchanged:,} unchanged, "
        f"{done.rejections:,} rejected: {_what(done, seconds)}."
    )
    emit(context, _json(done, seconds, fields, rejected=rejected), lambda: [said])
    if done.rejections:
        raise typer.Exit(exits.INVALID)
    if absent := sorted(set(only or ()) - set(done.workspaces)):
        raise NotFound(
            f"an import of {', '.join(map(repr, absent))}", found="not in the file", hint="The others were imported"
        )


def _check(context: typer.Context, *, to_stdout: bool) -> None:
    invocation = invocation_of(context)
    if invocation.workspace is not None:
        raise typer.BadParameter("--workspace does not apply here; choose workspaces with --only NAME")
    if to_stdout and invocation.as_json:
        raise typer.BadParameter("--json prints the report on stdout, where the export goes; give a FILE")


@contextmanager
def _written(file: Path) -> Iterator[Callable[[bytes], object]]:
    if str(file) == "-":
        yield sys.stdout.buffer.write
        sys.stdout.buffer.flush()
        return
    with replacing(file) as out:
        yield out.write


def _json(done: ExportReport | ImportReport, seconds: float, fields: str, **given: object) -> dict[str, Any]:
    """Return the named fields of the report, the given ones, and the speed."""
    speed = {"seconds": round(seconds, 3), "rows_per_second": per_second(done.rows, seconds)}
    return {name: given.get(name, plain(getattr(done, name))) for name in fields.split()} | speed


def _what(done: ExportReport | ImportReport, seconds: float) -> str:
    return clean(
        f"{counted(done.rows, 'row')} of {counted(len(done.workspaces), 'workspace')} "
        f"in {seconds:.1f} s, {per_second(done.rows, seconds):,} rows/s"
    )
