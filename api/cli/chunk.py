"""`retinue chunk`: add chunks to a session, restore archived ones, purge them."""

import sys
from typing import Annotated, Literal

import typer

from api.cli.confirm import agreed
from api.cli.invocation import opened
from api.cli.options import Counter, InSession, Yes
from api.cli.printing import counted, emit
from graph.errors import InvalidInput

app = typer.Typer(help="Chunks of a session: add, restore, purge.", no_args_is_help=True)

Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of chunks.")]


@app.command("add")
def add(
    context: typer.Context,
    chunk: Annotated[str, typer.Argument(metavar="ID", help="The chunk's id.")],
    text: Annotated[str, typer.Argument(help="Its text; - is stdin.")],
    session: InSession,
    needs: Annotated[
        list[str] | None, typer.Option("--premise", metavar="ID", help="A chunk that it rests on (several).")
    ] = None,
    kind: Annotated[
        Literal["message", "call", "result", "thought", "system", "note"], typer.Option(help="What it is in a log.")
    ] = "note",
    role: Annotated[
        Literal["user", "assistant", "tool", "system"] | None,
        typer.Option(help="Who wrote it. Default: that of its kind; none for messages and notes."),
    ] = None,
    call_id: Annotated[
        str | None, typer.Option("--call-id", metavar="ID", help="The id that a call and its result share.")
    ] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Keep it before any other.")] = False,
    importance: Annotated[float, typer.Option(help="Within 0 and 1, for policies that use it.")] = 0.0,
    tokens: Annotated[int | None, typer.Option(help="Its tokens. Default: counted.")] = None,
    counter: Counter = "words",
) -> None:
    """Add a chunk at the end of a session.

    The first chunk creates the session. Idempotent; another text under a known id is a conflict.
    """
    from api.forms.sessions import chunks_added_json
    from services.sessions import GivenChunk

    said = _stdin() if text == "-" else text
    given = GivenChunk(
        id=chunk,
        text=said,
        tokens=tokens,
        kind=kind,
        role=role,
        call_id=call_id,
        pinned=pinned,
        importance=importance,
        premises=tuple(needs or ()),
    )
    with opened(context, for_writing=True) as (services, workspace):
        services.sessions.ensure(workspace, session)
        done = services.sessions.add_chunks(workspace, session, [given], counter=counter)
    became = next(
        name for name in ("added", "updated", "unchanged", "archived", "buried") if chunk in getattr(done, name)
    )
    it = done.session
    emit(
        context,
        chunks_added_json(done),
        lambda: [f"{chunk}: {became}. {session} holds {counted(it.chunks, 'chunk')}, {counted(it.tokens, 'token')}."],
    )


@app.command("restore")
def restore(context: typer.Context, ids: Ids, session: InSession) -> None:
    """Restore archived chunks at their positions."""
    with opened(context) as (services, workspace):
        restored = services.sessions.restore(workspace, session, ids)
    emit(context, {"restored": list(restored)}, lambda: [f"Restored {counted(len(restored), 'chunk')}."])


@app.command("purge")
def purge(
    context: typer.Context,
    ids: Ids,
    session: InSession,
    tombstones: Annotated[
        bool,
        typer.Option("--tombstones", help="Keep their ids from being added again, for instance by a replayed log."),
    ] = False,
    yes: Yes = False,
) -> None:
    """Delete chunks with their premises for good, after asking."""
    with opened(context) as (services, workspace):
        agreed(context, f"Purging deletes {counted(len(set(ids)), 'chunk')} of {session} for good", yes=yes)
        purged = services.sessions.purge(workspace, session, ids, tombstones=tombstones)
    emit(context, {"purged": list(purged)}, lambda: [f"Purged {counted(len(purged), 'chunk')}."])


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput("the text on stdin", found="bytes that are not UTF-8", hint="Send UTF-8") from error
