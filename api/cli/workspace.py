"""`retinue workspace`: create, list, show, delete and reset workspaces."""

from typing import Annotated

import typer

from api.cli.confirm import agreed
from api.cli.invocation import opened
from api.cli.options import Yes
from api.cli.printing import counted, emit, table
from api.forms.workspaces import WorkspaceReply, workspace_json, workspaces_json
from api.wiring import Services
from graph.workspaces import Workspace

app = typer.Typer(help="Workspaces: each has its own catalogue, memories and sessions.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The workspace's name.")]


@app.command("create")
def create(context: typer.Context, name: Name) -> None:
    """Create a workspace. Idempotent."""
    with opened(context) as (services, _):
        workspace, created = services.workspaces.create(name)
    said = f"Created workspace {name}." if created else f"Workspace {name} exists already; nothing changed."
    emit(context, {**workspace_json(workspace), "created": created}, lambda: [said])


@app.command("list")
def list_workspaces(context: typer.Context) -> None:
    """List the workspaces with their counts."""
    with opened(context) as (services, _):
        found = services.workspaces.list()
    header = ("workspace", "tables", "columns", "references", "memories")
    emit(
        context,
        workspaces_json(found),
        lambda: table(
            header, [(w.name, w.tables, w.attributes, w.references, w.memories) for w in found], right=(1, 2, 3, 4)
        ),
    )


@app.command("show")
def show(context: typer.Context, name: Name) -> None:
    """Show a workspace with its counts."""
    with opened(context) as (services, _):
        workspace = services.workspaces.show(name)
    emit(context, workspace_json(workspace), lambda: [f"{name}: {_counts(workspace)}"])


@app.command("delete")
def delete(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Delete a workspace with everything in it, after asking."""
    with opened(context) as (services, _):
        held, counts = _agreed(context, services, name, doing="Deleting", yes=yes)
        services.workspaces.delete(name)
    emit(context, {"deleted": held}, lambda: [f"Deleted {name}: {counts}."])


@app.command("reset")
def reset(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Empty a workspace, after asking."""
    with opened(context) as (services, _):
        held, counts = _agreed(context, services, name, doing="Resetting", yes=yes)
        services.workspaces.reset(name)
    emit(context, {"reset": held}, lambda: [f"Emptied {name}: {counts} gone."])


def _agreed(
    context: typer.Context, services: Services, name: str, *, doing: str, yes: bool
) -> tuple[WorkspaceReply, str]:
    """Ask, and return the workspace and its counts as they are now."""
    held = services.workspaces.show(name)
    agreed(context, f"{doing} workspace {name} deletes {_counts(held)}", yes=yes)
    return workspace_json(held), _counts(held)


def _counts(workspace: Workspace) -> str:
    things = (workspace.tables, "table"), (workspace.attributes, "column"), (workspace.references, "reference")
    return ", ".join([*(counted(*it) for it in things), counted(workspace.memories, "memory", "memories")])
