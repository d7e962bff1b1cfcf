"""The JSON of workspaces."""

from collections.abc import Iterable

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.workspaces import Workspace


class WorkspaceReply(TypedDict):
    """A workspace and what it holds."""

    name: str
    created_at: str
    tables: int
    attributes: int
    gone: int
    references: int
    memories: int
    incarnation: str
    version: int


class WorkspacesReply(TypedDict):
    """All workspaces that the caller's key opens, by name."""

    workspaces: list[WorkspaceReply]


def workspace_json(workspace: Workspace) -> WorkspaceReply:
    stamp = workspace.stamp
    return fill(WorkspaceReply, workspace, incarnation=stamp.incarnation, version=stamp.version)


def workspaces_json(found: Iterable[Workspace]) -> WorkspacesReply:
    return {"workspaces": [workspace_json(item) for item in found]}
