"""`retinue learn`: remember the objects that a statement used for its intent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli import exits
from api.cli.files import read_lines, read_text
from api.cli.invocation import opened
from api.cli.printing import emit, note
from services.databases import is_database_url

if TYPE_CHECKING:
    from services.learning import LearnReport, Learnt
    from services.learning.lines import Logged

NOTHING_AGAINST = "Nothing was stored: no memory has this intent and these objects to count the failure against."


def learn(
    context: typer.Context,
    intent: Annotated[str | None, typer.Argument(help="What the statement was written for, in words.")] = None,
    sql: Annotated[str | None, typer.Option(help="The statement that ran.")] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="Many: JSON lines (intent, sql, dialect, succeeded), a script (.sql), pg_stat_statements (.csv or the "
            "URL of a database); - is stdin.",
        ),
    ] = None,
    form: Annotated[
        Literal["jsonl", "sql", "pg_stat_statements"] | None,
        typer.Option("--format", help="The format of the source. Default: guessed."),
    ] = None,
    min_calls: Annotated[int, typer.Option(min=1, help="Of pg_stat_statements: only what ran at least so often.")] = 1,
    dialect: Annotated[str, typer.Option(help="The statement's or the script's dialect, as sqlglot names it.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="It was of no use: evidence against the memory.")] = False,
    discovery: Annotated[str | None, typer.Option(metavar="ID", help="The discovery that it came from.")] = None,
    keep_sql: Annotated[bool, typer.Option("--keep-sql", help="Store the statement with its literals.")] = False,
) -> None:
    """Remember which tables and columns a statement used."""
    from api.forms.learning import learnt_json

    if source is not None:
        if intent is not None or sql is not None:
            raise typer.BadParameter("give an INTENT with --sql, or --from SOURCE")
        if failed or discovery is not None:
            raise typer.BadParameter("--failed and --discovery are of one statement; each line has its own")
        kind = form or _kind_of(source)
        if dialect and kind != "sql":
            raise typer.BadParameter("--dialect is of one statement, or of a script; each line has its own")
        _learn_source(context, source, kind, dialect=dialect, min_calls=min_calls, keep_sql=keep_sql)
        return
    if intent is None or sql is None:
        raise typer.BadParameter("give an INTENT with --sql, or --from SOURCE")
    with opened(context, for_writing=True) as (services, workspace):
        learnt = services.learning.learn(
            workspace, intent, sql, dialect=dialect, succeeded=not failed, discovery=discovery, keep_sql=keep_sql
        )
    emit(context, learnt_json(learnt.useful()), lambda: show_learnt(learnt))


def _kind_of(source: str) -> str:
    if is_database_url(source):
        return "pg_stat_statements"
    return {".sql": "sql", ".csv": "pg_stat_statements"}.get(Path(source).suffix.lower(), "jsonl")


def _learn_source(
    context: typer.Context, source: str, kind: str, *, dialect: str, min_calls: int, keep_sql: bool
) -> None:
    """Learn from each line. Commits are reported at once, so that an interrupted run can be continued."""
    from api.forms.learning import learn_report_json

    with ExitStack() as stack:
        log = _log(source, kind, stack, dialect=dialect, min_calls=min_calls)
        services, workspace = stack.enter_context(opened(context, for_writing=True))
        report = services.learning.learn_log(
            workspace, log, on_commit=lambda count: note(f"committed {count}"), keep_sql=keep_sql
        )
    emit(context, learn_report_json(report), lambda: _report(report))
    if report.rejected:
        raise typer.Exit(exits.INVALID)


def _log(source: str, kind: str, stack: ExitStack, *, dialect: str, min_calls: int) -> Iterable[Logged]:
    """Open the source. Returns the statements of its lines, of a script, or of statistics."""
    from services.learning.lines import read_json
    from services.learning.scripts import read_script
    from services.learning.statistics import read_exported, read_statistics

    if kind == "sql":
        return read_script(read_text(Path(source)), dialect=dialect)
    if kind == "pg_stat_statements" and is_database_url(source):
        return read_statistics(source, min_calls=min_calls)
    lines = stack.enter_context(read_lines(Path(source)))
    return read_json(lines) if kind == "jsonl" else read_exported(lines, min_calls=min_calls)


def show_learnt(learnt: Learnt) -> Iterator[str]:
    """Yield the state of the memory, and what the statement used."""
    yield f"{learnt.memory}: {learnt.state}" if learnt.memory else NOTHING_AGAINST
    for item in learnt.objects:
        yield f"  {item}"
    for name in learnt.unresolved:
        yield f"  {name}  (not in the catalogue)"


def _report(report: LearnReport) -> Iterator[str]:
    for line in report.lines:
        if line.error is not None:
            yield f"line {line.line}: {line.error}"
        elif line.unresolved:
            yield f"line {line.line}: not in the catalogue: {', '.join(line.unresolved)}"
    yield f"{report.learned:,} learned, {report.rejected:,} rejected."
