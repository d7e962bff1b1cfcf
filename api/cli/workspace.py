"""`retinue workspace`: create, list, show, delete and reset workspaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.confirm import agreed
from api.cli.invocation import opened
from api.cli.options import Yes
from api.cli.printing import counted, emit, table

if TYPE_CHECKING:
    from graph.workspaces import Workspace

app = typer.Typer(help="Workspaces: each has its own catalogue, memories and sessions.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The workspace's name.")]


@app.command("create")
def create(context: typer.Context, name: Name) -> None:
    """Create a workspace. Idempotent."""
    from api.forms.workspaces import workspace_json

    with opened(context) as (services, _):
        workspace, created = services.workspaces.create(name)
    said = f"Created workspace {name}." if created else f"Workspace {name} exists already; nothing changed."
    emit(context, {**workspace_json(workspace), "created": created}, lambda: [said])


@app.command("list")
def list_workspaces(context: typer.Context) -> None:
    """List the workspaces with their counts."""
    from api.forms.workspaces import workspaces_json

    with opened(context) as (services, _):
        found = services.workspaces.list()
    header = ("workspace", "tables", "columns", "references", "memories")
    emit(
        context,
        workspaces_json(found),
        lambda: table(
            header,
            [(w.name, w.tables, w.attributes, w.references, w.memories) for w in found],
            right=(1, 2, 3, 4),
        ),
    )


@app.command("show")
def show(context: typer.Context, name: Name) -> None:
    """Show a workspace with its counts."""
    from api.forms.workspaces import workspace_json

    with opened(context) as (services, _):
        workspace = services.workspaces.show(name)
    emit(context, workspace_json(workspace), lambda: [f"{name}: {_counts(workspace)}"])


@app.command("delete")
def delete(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Delete a workspace with everything in it, after asking."""
    from api.forms.workspaces import workspace_json

    with opened(context) as (services, _):
        workspace = services.workspaces.show(name)
        agreed(context, f"Deleting workspace {name} takes {_counts(workspace)} with it", yes=yes)
        services.workspaces.delete(name)
    emit(context, {"deleted": workspace_json(workspace)}, lambda: [f"Deleted {name}: {_counts(workspace)}."])


@app.command("reset")
def reset(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Empty a workspace, after asking."""
    from api.forms.workspaces import workspace_json

    with opened(context) as (services, _):
        workspace = services.workspaces.show(name)
        agreed(context, f"Resetting workspace {name} takes {_counts(workspace)}", yes=yes)
        services.workspaces.reset(name)
    emit(context, {"reset": workspace_json(workspace)}, lambda: [f"Emptied {name}: {_counts(workspace)} gone."])


def _counts(workspace: Workspace) -> str:
    parts: Iterable[str] = (
        counted(workspace.tables, "table"),
        counted(workspace.attributes, "column"),
        counted(workspace.references, "reference"),
        counted(workspace.memories, "memory", "memories"),
    )
    return ", ".join(parts)
