"""`retinue catalog`: import, list, show and remove tables and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli import exits
from api.cli.confirm import agreed
from api.cli.files import open_bytes, read_text
from api.cli.invocation import opened
from api.cli.options import Cursor, Limit, Yes
from api.cli.printing import counted, emit, emit_page, note, table
from api.cli.progress import progress
from services.databases import is_database_url

if TYPE_CHECKING:
    from api.forms.catalogue import ObjectReply
    from graph.catalogue import DataObject, Reference
    from services.catalogue import CatalogueImport, SourceCatalogue

COLUMNS = 1_000  # of a table, in `catalog show`

app = typer.Typer(help="The catalogue: tables and columns with their descriptions.", no_args_is_help=True)


@app.command("import")
def import_catalogue(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(help="A file, a folder of CSV files, or the URL of a database (postgresql://...); - is stdin."),
    ],
    form: Annotated[
        Literal["json", "sql", "ddl", "dbt", "csv", "database"] | None,
        typer.Option("--format", help="The format of the source. Default: guessed."),
    ] = None,
    dialect: Annotated[str, typer.Option(help="The dialect of DDL, as sqlglot names it.")] = "",
    encoding: Annotated[str | None, typer.Option(help="The encoding of CSV. Default: guessed.")] = None,
    schemas: Annotated[
        list[str] | None, typer.Option("--schema", metavar="NAME", help="Only this schema of a database; repeatable.")
    ] = None,
    origin: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="The name of the source. Default: its path or URL.")
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Mark the tables of this source that are missing now as gone.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Prune even if more than half of them are missing.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
) -> None:
    """Import a catalogue. Idempotent.

    In JSON: {"objects": [{"id": "t", "kind": "table", "name": "t"}, {"id": "t.c", "kind": "attribute", "table": "t",
    "name": "c", "description": "...", "data_type": "DATE"}], "references": [["t.c", "other.id"]]}.
    Other formats: SQL DDL, the manifest.json of dbt, CSV files (their headers), and databases, which are only read.
    """
    from api.forms.catalogue import import_json
    from services.catalogue import read_catalogue

    with progress("reading") as report:
        named = origin or ("stdin" if source == "-" else None)
        catalogue = read_catalogue(
            _opened_source(source, form),
            format=form,
            source=named,
            dialect=dialect,
            encoding=encoding,
            schemas=schemas or (),
            progress=report,
        )
    with opened(context, for_writing=not dry_run) as (services, workspace), progress("importing") as report:
        if prune and not services.catalogue.has_source(workspace, catalogue.source):
            note(
                f"Note: no object is from {catalogue.source!r} yet, so nothing is pruned; --source names another source"
            )
        done = services.catalogue.import_catalogue(
            workspace, catalogue, prune=prune, force=force, dry_run=dry_run, progress=report
        )
    for reason in done.degraded:
        note(f"Note: {reason}")
    for entry in done.rejected:
        note(f"Rejected {entry.item}: {entry.reason}")
    emit(
        context,
        import_json(done) | ({"dry_run": True} if dry_run else {}),
        lambda: _imported(done, catalogue, workspace, dry_run=dry_run),
    )
    if done.rejected:
        raise typer.Exit(exits.INVALID)


def _opened_source(source: str, form: str | None) -> Path | str:
    """Return a URL unchanged, the text of stdin, or the path of a readable file or folder."""
    if form == "database" or (form is None and is_database_url(source)):
        return Path(source) if Path(source).is_file() else source
    if source == "-":
        return read_text(Path(source))
    path = Path(source)
    if not path.is_dir():
        open_bytes(path).close()
    return path


@app.command("list")
def list_objects(
    context: typer.Context,
    q: Annotated[
        str | None, typer.Option("--containing", "-q", metavar="WORDS", help="Only those that contain these words.")
    ] = None,
    kind: Annotated[Literal["table", "attribute"] | None, typer.Option(help="Only tables, or only attributes.")] = None,
    gone: Annotated[bool, typer.Option("--gone", help="Only those that are marked as gone.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> None:
    """List tables and columns by id."""
    from api import listings

    with opened(context) as (services, workspace):
        page = listings.list_objects(services, workspace, kind=kind, q=q, gone=gone, cursor=cursor, limit=limit)
    rows = [(it["id"], it["kind"], it["data_type"], it["description"]) for it in page["objects"]]
    emit_page(context, page, lambda: table(("object", "kind", "type", "description"), rows))


@app.command("show")
def show(context: typer.Context, object_id: Annotated[str, typer.Argument(metavar="ID")]) -> None:
    """Show a table with its columns, or a column."""
    from api.forms.catalogue import object_json

    with opened(context) as (services, workspace):
        item = services.catalogue.show(workspace, object_id)
        columns = (
            services.catalogue.list(workspace, table=object_id, limit=COLUMNS) if item.kind == "table" else (item,)
        )
        targets = _targets(services.catalogue.references(workspace, [column.id for column in columns]))
    value = object_json(item)
    emit(context, value, lambda: _shown(value, columns, targets))


@app.command("remove")
def remove(
    context: typer.Context, ids: Annotated[list[str], typer.Argument(metavar="ID...")], yes: Yes = False
) -> None:
    """Remove objects for good, a table with its columns.

    Memories that name them are suspended.
    """
    from api.forms.catalogue import removed_json

    with opened(context) as (services, workspace):
        if len(ids) > 1:
            agreed(context, f"Removing {counted(len(ids), 'object')}, tables with their columns", yes=yes)
        removed = services.catalogue.remove(workspace, ids)
    emit(
        context,
        removed_json(removed),
        lambda: [
            f"Removed {counted(len(removed.ids), 'object')}; "
            f"{counted(len(removed.suspended), 'memory', 'memories')} suspended."
        ],
    )


def _targets(references: Iterable[Reference]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for column, target in references:
        found.setdefault(column, []).append(target)
    return {column: f"-> {', '.join(targets)}" for column, targets in found.items()}


def _shown(value: ObjectReply, columns: Sequence[DataObject], targets: dict[str, str]) -> Iterator[str]:
    fields: list[tuple[str, object]] = [(k, v) for k, v in value.items() if v not in (None, "", False)]
    if value["kind"] == "attribute" and value["id"] in targets:
        fields.append(("refers to", targets[value["id"]]))
    yield from table(("field", "value"), fields)
    if value["kind"] == "attribute":
        return
    yield ""
    rows = [(item.name, item.data_type, targets.get(item.id), item.description) for item in columns]
    yield from table(("column", "type", "refers to", "description"), rows)
    if len(columns) == COLUMNS:
        yield f"The first {COLUMNS:,} columns; catalog list shows all."


def _imported(done: CatalogueImport, catalogue: SourceCatalogue, workspace: str, *, dry_run: bool) -> Iterator[str]:
    tables = sum(item.kind == "table" for item in catalogue.objects)
    yield (
        f"{counted(tables, 'table')}, {counted(len(catalogue.objects) - tables, 'column')}, "
        f"{counted(len(catalogue.references), 'reference')}: {done.imported:,} imported, {done.updated:,} updated, "
        f"{done.unchanged:,} unchanged, {done.gone:,} gone, {len(done.rejected):,} rejected (workspace {workspace})"
    )
    if dry_run:
        yield "Nothing was written: this was a dry run."
