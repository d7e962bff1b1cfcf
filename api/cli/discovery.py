"""`retinue discover`: which tables and columns serve an intent, or each intent of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from api.cli import exits
from api.cli.invocation import opened
from api.cli.lines import intents, read_lines
from api.cli.printing import emit, note, signed, table
from api.cli.progress import progress
from graph.errors import InvalidInput

if TYPE_CHECKING:
    from api.wiring import Services
    from services.discovery.answers import Answer, Hit

LIMIT = 100
VOICES = 2  # memories shown for a hit, unless all are asked for


def discover(
    context: typer.Context,
    intent: Annotated[str | None, typer.Argument(help="What is to be found out, in words.")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE.jsonl", help='Many: a line each, {"intent": ...}; - is stdin.'),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=LIMIT, help="How many objects at most.")] = 10,
    kind: Annotated[Literal["table", "attribute"] | None, typer.Option(help="Only objects of this kind.")] = None,
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Ask the registry alone.")] = False,
    retriever: Annotated[
        Literal["blend", "tfidf", "bm25", "neural"], typer.Option(help="How the registry is searched.")
    ] = "blend",
    rule: Annotated[
        str | None, typer.Option(help="What memory does to the ranking; the retriever's best where not given.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every memory that spoke.")] = False,
) -> None:
    """Find the tables and columns that serve an intent."""
    from api.shapes import answer_json

    if (intent is None) == (source is None):
        raise typer.BadParameter("give an INTENT, or --from FILE.jsonl")
    how: dict[str, Any] = {
        "limit": limit,
        "kinds": None if kind is None else [kind],
        "use_memory": not no_memory,
        "retriever": retriever,
        "rule": rule,
    }
    with opened(context) as (services, workspace):
        if intent is not None:
            answer = services.discovery.discover(workspace, intent, **how)
            emit(context, answer_json(answer), lambda: show_answer(answer, explain=explain))
            services.discovery.record(workspace, answer)
            return
        assert source is not None
        with read_lines(source) as lines:
            asked = list(intents(lines))
        answers = _answer_each(services, workspace, asked, how)
        emit(
            context,
            {"answers": [{"error": item} if isinstance(item, str) else answer_json(item) for item in answers]},
            lambda: _show_all(answers, explain=explain),
        )
        for item in answers:
            if not isinstance(item, str):
                services.discovery.record(workspace, item)
    if any(isinstance(item, str) for item in answers):
        raise typer.Exit(exits.INVALID)


def _answer_each(
    services: Services, workspace: str, asked: list[tuple[str | None, str]], how: dict[str, Any]
) -> list[Answer | str]:
    """An answer for each line, or what is wrong with the line."""
    answers: list[Answer | str] = []
    with progress("discovering") as report:
        for done, (intent, fault) in enumerate(asked, start=1):
            try:
                answers.append(fault if intent is None else services.discovery.discover(workspace, intent, **how))
            except InvalidInput as error:
                answers.append(str(error))
            report(done, len(asked))
    return answers


def show_answer(answer: Answer, *, explain: bool) -> Iterator[str]:
    """The hits with their score parts, and below each the memories that spoke for it."""
    for reason in answer.degraded:
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
        yield from _voices(hit, indent=header.index("object"), limit=None if explain else VOICES)


def _voices(hit: Hit, *, indent: int, limit: int | None) -> Iterator[str]:
    """All that spoke, or the first few of those that four decimals show."""
    heard = (voice for voice in hit.memories if limit is None or abs(voice.share) >= 0.00005)
    voices = sorted(heard, key=lambda voice: -abs(voice.share))
    for voice in voices[:limit]:
        yield f"{'':{indent}}{signed(voice.share, 4)} from {voice.id}: {voice.intent}"
    if limit is not None and len(voices) > limit:
        yield f"{'':{indent}}and {len(voices) - limit} more (--explain shows them)"


def _show_all(answers: list[Answer | str], *, explain: bool) -> Iterator[str]:
    for item in answers:
        if isinstance(item, str):
            yield f"Not answered: {item}"
        else:
            yield item.intent
            yield from show_answer(item, explain=explain)
        yield ""
