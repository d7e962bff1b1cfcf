"""The JSON of the server's and the store's health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from api.forms.values import fill

if TYPE_CHECKING:
    from graph.memories import MemoryDifference
    from graph.store import Health


class AliveReply(TypedDict):
    """The server answers."""

    status: str


class HealthReply(TypedDict):
    """The state of the store."""

    ready: bool
    store: str
    server: str
    schema_version: int
    problems: list[str]
    mended: list[str]


def health_json(health: Health) -> HealthReply:
    return fill(HealthReply, health, schema_version=health.schema)


class DifferenceReply(TypedDict):
    """Relationships of a memory that differ from its properties: objects that it lacks one to, or has one too many."""

    workspace: str
    memory: str
    relationship: str
    lacking: list[str]
    extra: list[str]


def difference_json(workspace: str, difference: MemoryDifference) -> DifferenceReply:
    return fill(DifferenceReply, difference, workspace=workspace)
