"""`retinue session`: list, show and delete sessions, show what is live, import a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import exits
from api.cli.confirm import agreed
from api.cli.files import read_lines
from api.cli.invocation import opened
from api.cli.options import Counter, Cursor, Limit, Yes
from api.cli.printing import counted, emit, emit_page, note, table
from api.cli.progress import progress
from graph.premises import HOP_LIMIT

if TYPE_CHECKING:
    from graph.premises import Premise
    from graph.sessions import Session
    from services.sessions import LogImported

app = typer.Typer(help="Sessions: the chunks of an agent's work.", no_args_is_help=True)

SessionId = Annotated[str, typer.Argument(metavar="ID", help="The session's id.")]


@app.command("list")
def list_sessions(context: typer.Context, limit: Limit = 100, cursor: Cursor = None) -> None:
    """List sessions by id."""
    from api import listings

    with opened(context) as (services, workspace):
        page = listings.list_sessions(services, workspace, cursor=cursor, limit=limit)
    rows = [(it["id"], it["chunks"], it["tokens"], it["archived"], it["premises"]) for it in page["sessions"]]
    header = ("session", "chunks", "tokens", "archived", "premises")
    emit_page(context, page, lambda: table(header, rows, right=(1, 2, 3, 4)))


@app.command("show")
def show(
    context: typer.Context,
    session: SessionId,
    archived: Annotated[bool, typer.Option("--archived", help="Show archived chunks, without texts.")] = False,
    premises: Annotated[bool, typer.Option("--premises", help="Show what each of them rests on.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> None:
    """Show a session and a page of its chunks."""
    from api import listings
    from api.forms.sessions import premise_json, session_json

    with opened(context) as (services, workspace):
        found = services.sessions.show(workspace, session)
        page = listings.list_chunks(services, workspace, session, archived=archived, cursor=cursor, limit=limit)
        linked = services.sessions.list_premises(workspace, session, [it["id"] for it in page["chunks"]] * premises)
    rows = [
        (
            it["position"],
            it["id"],
            it["kind"],
            it["role"] or "",
            it["tokens"],
            "pinned" if it["pinned"] else "",
            it.get("text", "")[:80],
        )
        for it in page["chunks"]
    ]
    header = ("", "chunk", "kind", "role", "tokens", "", "text")
    emit_page(
        context,
        {**session_json(found), "page": page["chunks"], "next_cursor": page["next_cursor"]}
        | ({"page_premises": [premise_json(it) for it in linked]} if premises else {}),
        lambda: [f"{session}: {_counts(found)}", *table(header, rows, right=(0, 4)), *_linked(linked)],
    )


@app.command("delete")
def delete(context: typer.Context, session: SessionId, yes: Yes = False) -> None:
    """Delete a session with its chunks and premises, after asking."""
    from api.forms.sessions import session_json

    with opened(context) as (services, workspace):
        found = services.sessions.show(workspace, session)
        agreed(context, f"Deleting session {session} deletes {_counts(found)}", yes=yes)
        services.sessions.delete(workspace, session)
    emit(context, {"deleted": session_json(found)}, lambda: [f"Deleted {session}: {_counts(found)}."])


@app.command("live")
def live(
    context: typer.Context,
    session: SessionId,
    root: Annotated[list[str] | None, typer.Option(metavar="ID", help="A chunk to start from (several).")] = None,
    query: Annotated[str | None, typer.Option(metavar="TEXT", help="Start from what the policy finds for it.")] = None,
    policy: Annotated[str, typer.Option(help="dsgc_roots, dsgc or multi_hop, also with parameters.")] = "dsgc_roots",
    depth: Annotated[
        int | None, typer.Option(min=1, max=HOP_LIMIT, help="How many premises far; the policy's own, or 8.")
    ] = None,
) -> None:
    """Show the chunks that roots rest on, with their liveness.

    Each comes with a shortest path from a root.
    """
    from api.forms.sessions import live_set_json

    with opened(context) as (services, workspace):
        found = services.sessions.live(workspace, session, roots=root or (), query=query, policy=policy, depth=depth)
    emit(
        context,
        live_set_json(found),
        lambda: table(
            ("chunk", "liveness", "hops", "path"),
            [(it.chunk, it.liveness, it.hops, " -> ".join(it.path)) for it in found.live],
            right=(1, 2),
        ),
    )


@app.command("import")
def import_log(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="A chat log; - is stdin.")],
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session. Default: the name of the file.")
    ] = None,
    counter: Counter = "bytes",
    pins: Annotated[
        bool, typer.Option("--pins/--no-pins", help="Pin system messages and the user's first message.")
    ] = True,
) -> None:
    """Import an agent's log as a session with its premises.

    Messages, tool calls and results become chunks; a token is counted for every four bytes, unless --counter says else.
    Idempotent; of a longer log only the new lines are added.
    Invalid lines are reported, and the others imported.
    """
    from api.forms.sessions import log_imported_json
    from services.sessions import import_log as take_in

    name = session or (file.stem if str(file) != "-" else "")
    if not name:
        raise typer.BadParameter("give --session ID with a log from stdin")
    with opened(context, for_writing=True) as (services, workspace):
        with read_lines(file) as lines, progress("importing") as report:
            done = take_in(services.sessions, workspace, name, lines, counter=counter, pins=pins, progress=report)
        found = services.sessions.show(workspace, name)
    for fault in done.faults:
        note(f"Line {fault.line}: {fault.reason}")
    emit(context, log_imported_json(done), lambda: _imported(done, found))
    if done.faults:
        raise typer.Exit(exits.INVALID)


def _linked(premises: Sequence[Premise]) -> Iterator[str]:
    if premises:
        rows = [(it.chunk, it.premise, it.grade, it.weight, it.belief, "; ".join(it.reasons)) for it in premises]
        yield from ("", *table(("chunk", "rests on", "grade", "weight", "belief", "reasons"), rows, right=(3, 4)))


def _imported(done: LogImported, found: Session) -> Iterator[str]:
    grades = ", ".join(f"{number:,} {grade}" for grade, number in sorted(done.by_grade.items())) or "none"
    yield f"Session {done.session}: {done.added:,} added, {done.unchanged:,} there before; premises: {grades}."
    yield f"It holds {_counts(found)}, counted by {done.counter}."
    yield f"Ask: retinue retain --session {done.session} --query Q --budget-tokens N"


def _counts(session: Session) -> str:
    return ", ".join(
        (
            counted(session.chunks, "chunk"),
            counted(session.tokens, "token"),
            counted(session.archived, "archived chunk"),
            counted(session.premises, "premise"),
        )
    )
