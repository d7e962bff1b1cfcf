"""Workspaces: create, show, reset and delete them; a name created again is a new incarnation.

The contents of workspaces belong to the other services.
"""

import re
from collections.abc import Callable
from datetime import datetime
from uuid import uuid4

from graph.errors import InvalidInput, UnknownWorkspace
from graph.workspaces import Stamp, Workspace, Workspaces

DEFAULT = "default"  # always exists
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class WorkspaceService:
    """Operations on workspaces. Reset is delete and create, so that data derived from the old one is not reused."""

    def __init__(self, store: Workspaces, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock

    def create(self, name: str) -> tuple[Workspace, bool]:
        """Create a workspace; idempotent. Returns it, and whether this call did. Raises `InvalidInput`."""
        if not NAME.fullmatch(name):
            raise InvalidInput(
                f"a workspace named {name[:80]!r}",
                found="not a workspace's name",
                hint="Use 1 to 63 characters: a-z, 0-9, _ and -, the first of them a letter or a digit",
            )
        return self._store.create_workspace(name, incarnation=uuid4().hex, at=self._clock())

    def ensure(self, name: str) -> Workspace:
        """Return the workspace, created if it does not exist; cheap if it does."""
        try:
            return self._store.show_workspace(name)
        except UnknownWorkspace:
            return self.create(name)[0]

    def list(self) -> tuple[Workspace, ...]:
        return self._store.list_workspaces()

    def show(self, name: str) -> Workspace:
        return self._store.show_workspace(name)

    def delete(self, name: str, *, stamp: Stamp | None = None) -> Workspace:
        """Delete a workspace with its contents. Returns it as it was. The default one is created again, empty. With a
        `stamp` raises `StaleStamp` if it was written to since."""
        before = self._store.show_workspace(name)
        self._store.delete_workspace(name, stamp=stamp)
        if name == DEFAULT:
            self.create(name)
        return before

    def reset(self, name: str) -> Workspace:
        """Delete a workspace's contents. Returns it as it was."""
        before = self.delete(name)
        self.create(name)
        return before
