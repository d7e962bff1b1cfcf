"""`retinue memory`: list, show, confirm, refute and forget memories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from api.cli import exits
from api.cli.invocation import opened
from api.cli.options import Cursor, Limit
from api.cli.printing import counted, emit, emit_page, table

if TYPE_CHECKING:
    from api.forms.memories import ForgetReply, MemoryReply
    from graph.memories import Memory

app = typer.Typer(help="Memories: which objects served which intent.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID")]
Why = Annotated[str, typer.Option("--note", help="Why.")]


@app.command("list")
def list_memories(
    context: typer.Context,
    state: Annotated[
        Literal["proposed", "confirmed", "refuted"] | None, typer.Option(help="Only those in this state.")
    ] = None,
    suspended: Annotated[bool, typer.Option("--suspended", help="Only those with missing objects.")] = False,
    intent: Annotated[str | None, typer.Option(help="Only those of exactly this intent.")] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> None:
    """List memories by id."""
    from api import listings

    with opened(context) as (services, workspace):
        page = listings.list_memories(
            services, workspace, state=state, suspended=suspended or None, intent=intent, cursor=cursor, limit=limit
        )
    rows = [(it["id"], _state(it), it["times"], len(it["objects"]), it["intent"]) for it in page["memories"]]
    emit_page(context, page, lambda: table(("memory", "state", "times", "objects", "intent"), rows, right=(2, 3)))


@app.command("show")
def show(context: typer.Context, memory_id: Id) -> None:
    """Show a memory with its evidence."""
    from api.forms.memories import memory_json

    with opened(context) as (services, workspace):
        shown = memory_json(services.memories.show(workspace, memory_id))
    emit(context, shown, lambda: _shown(shown))


@app.command("confirm")
def confirm(context: typer.Context, memory_id: Id, why: Why = "") -> None:
    """Confirm a memory, whatever its outcomes say."""
    with opened(context) as (services, workspace):
        _judged(context, services.memories.confirm(workspace, memory_id, note=why))


@app.command("refute")
def refute(context: typer.Context, memory_id: Id, why: Why = "") -> None:
    """Refute a memory: it has no weight until somebody confirms it."""
    with opened(context) as (services, workspace):
        _judged(context, services.memories.refute(workspace, memory_id, note=why))


@app.command("forget")
def forget(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All memories of the workspace.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it; without it more than one are only counted.")] = False,
) -> None:
    """Forget memories. More than one are only counted, until --yes."""
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
    done = forgotten_json(report)
    emit(context, done, lambda: _forgotten(done))
    statuses = {item.status for item in report}
    if "error" in statuses:
        raise typer.Exit(exits.UNAVAILABLE)
    if "missing" in statuses:
        raise typer.Exit(exits.NOT_FOUND)


def _judged(context: typer.Context, memory: Memory) -> None:
    from api.forms.memories import memory_json

    shown = memory_json(memory)
    emit(context, shown, lambda: [f"{memory.id}: {_state(shown)}"])


def _state(memory: MemoryReply) -> str:
    return f"{memory['state']}, suspended" if memory["suspended"] else memory["state"]


def _shown(memory: MemoryReply) -> Iterator[str]:
    yield f"{memory['id']}: {_state(memory)}"
    yield f"intent: {memory['intent']}"
    yield f"used {counted(memory['times'], 'time')}, {memory['successes']} for it, {memory['failures']} against it"
    confidence = memory["confidence"]
    yield f"right {confidence['mean']:.0%} of the time by its outcomes, at least {confidence['low']:.0%}"
    yield from (f"  {item}{'  (missing)' if item in memory['missing'] else ''}" for item in memory["objects"])
    if memory["statement"]:
        yield f"statement: {memory['statement']}"
    for it in memory["evidence"]:
        at = it["at"][:16].replace("T", " ")
        yield f"{at} {it['kind']} {it['outcome']} -> {it['state']} {it['note']}".rstrip()


def _forgotten(report: ForgetReply) -> Iterator[str]:
    for item in report["memories"]:
        if item["status"] != "forgotten":
            why = f" ({item['error']})" if item["error"] else ""
            yield f"{item['id']}: {item['status']}{why}"
    yield f"Forgot {counted(report['forgotten'], 'memory', 'memories')}."
