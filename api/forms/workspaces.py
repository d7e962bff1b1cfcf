"""The JSON of workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.workspaces import Workspace
from api.forms.values import Json, instant


def workspace_json(workspace: Workspace) -> Json:
    return {
        "name": workspace.name,
        "created_at": instant(workspace.created_at),
        "tables": workspace.tables,
        "attributes": workspace.attributes,
        "gone": workspace.gone,
        "references": workspace.references,
        "memories": workspace.memories,
        "incarnation": workspace.stamp.incarnation,
        "version": workspace.stamp.version,
    }
