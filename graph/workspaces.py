"""Workspaces: the state of a graph, replies kept for idempotency keys, and the port for both.

Instants are aware UTC datetimes. What a workspace holds belongs to the other nouns' modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The state of a workspace's graph that an answer was made from.

    `incarnation` differs between two workspaces that had the same name in turn; `version` grows with each write
    to objects, references, memories or intents; `catalogue_version` is the `version` of the latest write to
    objects or references. Versions of two incarnations must not be compared.
    """

    incarnation: str
    version: int
    catalogue_version: int

    def has_catalogue_of(self, other: Stamp) -> bool:
        return (self.incarnation, self.catalogue_version) == (other.incarnation, other.catalogue_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A workspace and what it holds. `objects` counts live tables and attributes, `gone` those marked gone."""

    name: str
    created_at: datetime
    stamp: Stamp
    tables: int = 0
    attributes: int = 0
    gone: int = 0
    references: int = 0
    memories: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What was answered to a request with an idempotency key; `status` 0 while the first request is under way."""

    key: str
    request: str
    status: int
    body: str
    at: datetime


class Workspaces(Protocol):
    """The workspaces themselves, and the replies kept for idempotency keys."""

    def create_workspace(self, name: str, *, incarnation: str, at: datetime) -> tuple[Workspace, bool]:
        """Create a workspace unless it exists. Returns it, and whether this call created it.

        An existing one keeps its contents; its `created_at` becomes the earlier of the two, so that a copy is as old as
        its original."""

    def show_workspace(self, name: str) -> Workspace:
        """Return the workspace with its stamp and counts."""

    def show_stamp(self, name: str) -> Stamp:
        """Return the stamp alone, at a cost that does not depend on the workspace's size."""

    def list_workspaces(self) -> tuple[Workspace, ...]:
        """Return all workspaces, by name."""

    def delete_workspace(self, name: str, *, stamp: Stamp | None = None) -> None:
        """Delete the workspace with all it holds, and nothing of other workspaces.

        Raises `StaleRevision`, and deletes nothing, if `stamp` is given and is not its stamp any more."""

    def claim_reply(self, workspace: str, reply: Reply, *, keep_since: datetime) -> Reply | None:
        """Store `reply` under its key if the key is free, or its reply older than `keep_since`. Drops older replies.

        Returns None, or the reply that has the key, unchanged."""

    def save_reply(self, workspace: str, reply: Reply) -> None:
        """Replace the claimed reply by the final one."""

    def drop_reply(self, workspace: str, key: str) -> None:
        """Free the key of a failed request. Idempotent."""
