"""The change feed of a workspace, from which derived indexes catch up, and its port.

Versions of two incarnations of a workspace must not be compared.
"""

from dataclasses import dataclass
from typing import Protocol

from graph.catalogue import DataObject, Reference
from graph.workspaces import Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a workspace since a version, so that arrays derived from it can catch up.

    `objects` are all objects (gone ones too) written since, by id; `references` all references of the workspace,
    sorted, or None where the catalogue is as it was; `intents` (id, text) stored since, by id. Deletions
    are not listed: if `removed` is true, the reader calls `list_ids` and drops the ids that are not in it.
    """

    stamp: Stamp
    objects: tuple[DataObject, ...]
    references: tuple[Reference, ...] | None
    intents: tuple[tuple[str, str], ...]
    removed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All ids of objects (gone ones too) and intents of a workspace, sorted."""

    objects: tuple[str, ...]
    intents: tuple[str, ...]


class ChangeFeed(Protocol):
    """Changes of a workspace, to derive indexes from."""

    def changes(self, workspace: str, *, since: int) -> Changes:
        """Return the writes after version `since` (0: everything)."""

    def list_ids(self, workspace: str) -> Listing:
        """Return all ids of objects and intents."""
