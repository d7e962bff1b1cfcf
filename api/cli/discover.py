"""`retinue discover`: find the tables and columns that serve an intent, or each intent of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from api.cli import exits
from api.cli.files import intents, read_lines
from api.cli.invocation import opened
from api.cli.printing import counted, emit, note, signed, table
from api.cli.progress import progress
from api.limits import RESULTS
from api.wiring import Services
from graph.errors import InvalidInput
from services.discovery.arms import describe_rules

if TYPE_CHECKING:
    from services.discovery.answers import Answer, Hit, JoinTree

SHOWN_CONTRIBUTIONS = 2  # of a hit, without --explain
VISIBLE_SHARE = 0.0005  # a smaller share changes no third decimal


def discover(
    context: typer.Context,
    intent: Annotated[str | None, typer.Argument(help="What to find out, in words.")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE.jsonl", help='Many: a line each, {"intent": ...}; - is stdin.'),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=RESULTS, help="How many objects at most.")] = 10,
    kind: Annotated[Literal["table", "attribute"] | None, typer.Option(help="Only objects of this kind.")] = None,
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Search the catalogue only.")] = False,
    retriever: Annotated[
        Literal["blend", "tfidf", "bm25", "neural"],
        typer.Option(help="How the catalogue is searched: a blend of names, words and meaning, or one of them."),
    ] = "blend",
    rule: Annotated[str | None, typer.Option(help=describe_rules())] = None,
    join: Annotated[bool, typer.Option("--join", help="Also show how the tables join, with those between.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show every memory that contributed.")] = False,
) -> None:
    """Find the tables and columns that serve an intent."""
    from api.forms.discovery import answer_json

    if (intent is None) == (source is None):
        raise typer.BadParameter("give an INTENT, or --from FILE.jsonl")
    how: dict[str, Any] = {
        "limit": limit,
        "kinds": None if kind is None else [kind],
        "use_memory": not no_memory,
        "retriever": retriever,
        "rule": rule,
        "join": join,
    }
    with opened(context) as (services, workspace):
        if intent is not None:
            answer = services.discovery.discover(workspace, intent, **how)
            unsaid = None if explain else services.encoder_missing
            emit(context, answer_json(answer), lambda: show_answer(answer, explain=explain, unsaid=unsaid))
            services.discovery.record(workspace, answer)
            return
        assert source is not None
        with read_lines(source) as lines:
            asked = list(intents(lines))
        answers = _answer_each(services, workspace, asked, how)
        emit(
            context,
            {"answers": [{"error": item} if isinstance(item, str) else answer_json(item) for item in answers]},
            lambda: _show_all(answers, explain=explain, unsaid=None if explain else services.encoder_missing),
        )
        for item in answers:
            if not isinstance(item, str):
                services.discovery.record(workspace, item)
    if any(isinstance(item, str) for item in answers):
        raise typer.Exit(exits.INVALID)


def _answer_each(
    services: Services, workspace: str, asked: list[tuple[str | None, str]], how: dict[str, Any]
) -> list[Answer | str]:
    answers: list[Answer | str] = []
    with progress("discovering") as report:
        for done, (intent, fault) in enumerate(asked, start=1):
            try:
                answers.append(fault if intent is None else services.discovery.discover(workspace, intent, **how))
            except InvalidInput as error:
                answers.append(str(error))
            report(done, len(asked))
    return answers


def show_answer(answer: Answer, *, explain: bool, unsaid: str | None) -> Iterator[str]:
    """Yield the hits with the parts of their scores, each with its contributing memories. Omits the note `unsaid`."""
    for reason in answer.degraded:
        if reason != unsaid:
            note(f"Note: {reason}")
    if not answer.results:
        yield "Nothing found."
        return
    rows = [
        (n, hit.score, hit.registry, hit.memory, hit.id, hit.description) for n, hit in enumerate(answer.results, 1)
    ]
    header, *lines = table(("", "score", "registry", "memory", "object", ""), rows, right=(0, 1, 2, 3))
    yield header
    for hit, line in zip(answer.results, lines, strict=True):
        yield line
        yield from (f"{'':{header.index('object')}}{said}" for said in _contributions(hit, explain=explain))
    if answer.join is not None:
        yield ""
        yield from _joined(answer.join)


def _joined(join: JoinTree) -> Iterator[str]:
    """Yield the tree, each table below the one that it joins, with the columns; then the tables without a path."""
    depth = {join.root: 0}
    rows: list[tuple[str, str]] = [(join.root, "")]
    for step in join.steps:
        depth[step.end] = depth[step.start] + 1
        added = "  (between)" if step.end in join.added else ""
        on = ", ".join(f"{start} = {end}" for start, end in step.references)
        rows.append((f"{'  ' * depth[step.end]}{step.end}{added}", f"on {on}"))
    yield from table(("join", ""), rows)
    if join.unconnected:
        yield f"Not connected to {join.root}: {', '.join(join.unconnected)}"


def _contributions(hit: Hit, *, explain: bool) -> Iterator[str]:
    """Yield the memories with a visible share, largest first: the first few, or all and the sum of the others."""
    ordered = sorted(hit.memories, key=lambda it: -abs(it.share))
    visible = [it for it in ordered if abs(it.share) >= VISIBLE_SHARE]
    # a line that says "1 more" would take the place of that one
    shown = visible if explain or len(visible) == SHOWN_CONTRIBUTIONS + 1 else visible[:SHOWN_CONTRIBUTIONS]
    for it in shown:
        yield f"{signed(it.share, 4)} from {it.id}: {it.intent}"
    if left := len(visible) - len(shown):
        yield f"and {left} more (--explain shows them)"
    if explain and (others := ordered[len(visible) :]):
        yield f"{counted(len(others), 'other')}, together {signed(sum(it.share for it in others), 4)}"


def _show_all(answers: list[Answer | str], *, explain: bool, unsaid: str | None) -> Iterator[str]:
    for item in answers:
        if isinstance(item, str):
            yield f"Not answered: {item}"
        else:
            yield item.intent
            yield from show_answer(item, explain=explain, unsaid=unsaid)
        yield ""
