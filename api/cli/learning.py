"""`retinue learn`: what a statement used becomes the memory of its intent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import exits
from api.cli.invocation import opened
from api.cli.lines import read_lines
from api.cli.printing import emit, note

if TYPE_CHECKING:
    from services.learning import LearnReport, Learnt

NOTHING_AGAINST = "Nothing was kept: there is no memory of this intent with these objects to count the failure against."


def learn(
    context: typer.Context,
    intent: Annotated[str | None, typer.Argument(help="What the statement was written for, in words.")] = None,
    sql: Annotated[str | None, typer.Option(help="The statement that ran.")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE.jsonl", help="Many: intent, sql, dialect, succeeded a line; - is stdin."),
    ] = None,
    dialect: Annotated[str, typer.Option(help="The statement's dialect, as sqlglot names it.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="It did not serve: evidence against the memory.")] = False,
    discovery: Annotated[str | None, typer.Option(metavar="ID", help="The discovery that it came from.")] = None,
    keep_sql: Annotated[bool, typer.Option("--keep-sql", help="Keep the statement with its literals.")] = False,
) -> None:
    """Remember which tables and columns a statement used."""
    from api.lessons import useful
    from api.shapes import learnt_json

    if source is not None:
        if intent is not None or sql is not None:
            raise typer.BadParameter("give an INTENT with --sql, or --from FILE.jsonl")
        if dialect or failed or discovery is not None:
            raise typer.BadParameter("--dialect, --failed and --discovery are of one statement; each line has its own")
        _learn_file(context, source, keep_sql=keep_sql)
        return
    if intent is None or sql is None:
        raise typer.BadParameter("give an INTENT with --sql, or --from FILE.jsonl")
    with opened(context, for_writing=True) as (services, workspace):
        learnt = services.learning.learn(
            workspace, intent, sql, dialect=dialect, succeeded=not failed, discovery=discovery, keep_sql=keep_sql
        )
    emit(context, learnt_json(useful(learnt)), lambda: show_learnt(learnt))


def _learn_file(context: typer.Context, source: Path, *, keep_sql: bool) -> None:
    """Learns from each line; what is committed is told at once, so that whoever is interrupted knows where to go on."""
    from api.shapes import learn_report_json

    with read_lines(source) as lines, opened(context, for_writing=True) as (services, workspace):
        report = services.learning.learn_lines(
            workspace, lines, on_commit=lambda count: note(f"committed {count}"), keep_sql=keep_sql
        )
    emit(context, learn_report_json(report), lambda: _report(report))
    if report.rejected:
        raise typer.Exit(exits.INVALID)


def show_learnt(learnt: Learnt) -> Iterator[str]:
    """The memory's state, and what the statement used."""
    yield f"{learnt.memory}: {learnt.state}" if learnt.memory else NOTHING_AGAINST
    for item in learnt.objects:
        yield f"  {item}"
    for name in learnt.unresolved:
        yield f"  {name}  (not in the catalogue)"


def _report(report: LearnReport) -> Iterator[str]:
    """The lines that were not learned from, or not wholly, and the counts."""
    for line in report.lines:
        if line.error is not None:
            yield f"line {line.line}: {line.error}"
        elif line.unresolved:
            yield f"line {line.line}: not in the catalogue: {', '.join(line.unresolved)}"
    yield f"{report.learned:,} learned, {report.rejected:,} rejected."
