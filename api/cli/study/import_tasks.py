"""`retinue study import-tasks`: a published question-and-SQL benchmark becomes files that studies read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import exits
from api.cli.printing import counted, emit, note, table
from graph.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from services.studies.discovery.published import Published


def import_tasks(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(help="The folder of BIRD or Spider, or one file of its questions.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to write a file for each database.")],
) -> None:
    """Write the databases of a benchmark as files for studies.

    Each holds a registry and its tasks, with gold objects parsed from their SQL.
    """
    from services.studies.discovery.published import read_published

    if not source.exists():
        raise NotFound(f"the benchmark {source}", found="no such file or folder", hint="Give the folder as published")
    found = read_published(source)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for domain in found.domains:
            text = json.dumps(domain, ensure_ascii=False, indent=1) + "\n"
            (out / f"{domain['domain']}.json").write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"the folder {out}", found=error.strerror or str(error), hint="Give a folder that can be written to"
        ) from error
    for entry in found.rejected:
        note(f"Rejected {entry.item}: {entry.reason}")
    counts = ("objects", "references", "tasks")
    domains = [{"name": it["domain"], **{key: len(it[key]) for key in counts}} for it in found.domains]
    rejected = [{"item": entry.item, "reason": entry.reason} for entry in found.rejected]
    emit(context, {"domains": domains, "rejected": rejected}, lambda: _written(found, out))
    if found.rejected:
        raise typer.Exit(exits.INVALID)


def _written(found: Published, out: Path) -> Iterator[str]:
    rows = [(domain["domain"], len(domain["objects"]), len(domain["tasks"])) for domain in found.domains]
    yield from table(("database", "objects", "tasks"), rows, right=(1, 2))
    yield (
        f"{counted(len(found.domains), 'database')} with {counted(sum(row[2] for row in rows), 'task')} "
        f"written to {out}; {len(found.rejected):,} rejected"
    )
