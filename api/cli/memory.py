"""`retinue memory`: list what was learnt, show it, judge it, forget it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli import exits
from api.cli.invocation import opened
from api.cli.printing import counted, emit, note, table

if TYPE_CHECKING:
    from graph.memories import Memory
    from services.memories import Forgotten

app = typer.Typer(help="Memories: which objects served which intent.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID")]


@app.command("list")
def list_memories(
    context: typer.Context,
    state: Annotated[
        Literal["proposed", "confirmed", "refuted"] | None, typer.Option(help="Only those in this state.")
    ] = None,
    suspended: Annotated[bool, typer.Option("--suspended", help="Only those that miss objects.")] = False,
    intent: Annotated[str | None, typer.Option(help="Only those of exactly this intent.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many at most.")] = 100,
    cursor: Annotated[str | None, typer.Option(help="Go on where the page before ended.")] = None,
) -> None:
    """List memories by id."""
    from api.cursors import make_cursor, read_cursor
    from api.forms.memories import memory_json

    with opened(context) as (services, workspace):
        listing = ("memories", workspace, state, suspended or None, intent)
        page = services.memories.list(
            workspace,
            state=state,
            suspended=suspended or None,
            intent=intent,
            after=read_cursor(cursor, listing=listing),
            limit=limit + 1,
        )
    more = make_cursor(page[limit - 1].id, listing=listing) if len(page) > limit else None
    emit(
        context,
        {"memories": [memory_json(item) for item in page[:limit]], "next_cursor": more},
        lambda: table(
            ("memory", "state", "times", "objects", "intent"),
            [(m.id, _state(m), m.times, len(m.objects), m.intent) for m in page[:limit]],
            right=(2, 3),
        ),
    )
    if more:
        note(f"There are more: --cursor {more}")


@app.command("show")
def show(context: typer.Context, memory_id: Id) -> None:
    """Show a memory with the evidence it met."""
    from api.forms.memories import memory_json

    with opened(context) as (services, workspace):
        memory = services.memories.show(workspace, memory_id)
    emit(context, memory_json(memory), lambda: _shown(memory))


@app.command("confirm")
def confirm(
    context: typer.Context, memory_id: Id, why: Annotated[str, typer.Option("--note", help="Why.")] = ""
) -> None:
    """Confirm a memory: your word for it, whatever spoke against it."""
    from api.forms.memories import memory_json

    with opened(context) as (services, workspace):
        memory = services.memories.confirm(workspace, memory_id, note=why)
    emit(context, memory_json(memory), lambda: [f"{memory.id}: {_state(memory)}"])


@app.command("refute")
def refute(
    context: typer.Context, memory_id: Id, why: Annotated[str, typer.Option("--note", help="Why.")] = ""
) -> None:
    """Refute a memory: it weighs nothing until somebody confirms it."""
    from api.forms.memories import memory_json

    with opened(context) as (services, workspace):
        memory = services.memories.refute(workspace, memory_id, note=why)
    emit(context, memory_json(memory), lambda: [f"{memory.id}: {_state(memory)}"])


@app.command("forget")
def forget(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All memories of the workspace.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it; more than one are only shown without.")] = False,
) -> None:
    """Forget a memory, or many.

    Of more than one it shows what would go, until --yes.
    """
    from api.forms.memories import forgotten_json

    if bool(ids) == everything:
        raise typer.BadParameter("give IDs, or --all")
    with opened(context) as (services, workspace):
        if not yes and (everything or len(ids or ()) > 1):
            if everything:
                count = services.workspaces.show(workspace).memories
            else:
                count = services.memories.count(workspace, ids or [])
            emit(
                context,
                {"dry_run": True, "would_forget": count},
                lambda: [f"Would forget {counted(count, 'memory', 'memories')} of {workspace}. --yes does it."],
            )
            return
        report = (
            services.memories.forget_all(workspace) if everything else services.memories.forget(workspace, ids or [])
        )
    emit(context, forgotten_json(report), lambda: _forgotten(report))
    statuses = {item.status for item in report}
    if "error" in statuses:
        raise typer.Exit(exits.UNAVAILABLE)
    if "missing" in statuses:
        raise typer.Exit(exits.NOT_FOUND)


def _state(memory: Memory) -> str:
    return f"{memory.state}, suspended" if memory.suspended else memory.state


def _shown(memory: Memory) -> Iterator[str]:
    from graph.memories import standing_of

    yield f"{memory.id}: {_state(memory)}"
    yield f"intent: {memory.intent}"
    yield f"met {counted(memory.times, 'time')}, {memory.successes} for it, {memory.failures} against it"
    standing = standing_of(memory)
    yield f"right {standing.mean:.0%} of the time by its outcomes, at least {standing.low:.0%}"
    yield from (f"  {item}{'  (missing)' if item in memory.missing else ''}" for item in memory.objects)
    if memory.statement:
        yield f"statement: {memory.statement}"
    for item in memory.evidence:
        yield f"{item.at:%Y-%m-%d %H:%M} {item.kind} {item.outcome} -> {item.state} {item.note}".rstrip()


def _forgotten(report: Sequence[Forgotten]) -> Iterator[str]:
    for item in report:
        if item.status != "forgotten":
            yield f"{item.id}: {item.status}{f' ({item.error})' if item.error else ''}"
    yield f"Forgot {counted(sum(item.status == 'forgotten' for item in report), 'memory', 'memories')}."
