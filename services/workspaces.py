"""Workspaces: made, shown, emptied, deleted; each name begins a new incarnation when it is made again.

What a workspace holds belongs to the other services.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from uuid import uuid4

from graph.errors import InvalidInput, UnknownWorkspace
from graph.workspaces import Stamp, Workspace, Workspaces

DEFAULT = "default"  # always there
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class WorkspaceService:
    """Creating is idempotent; reset is delete and create, so that what was derived from the old one is not trusted."""

    def __init__(self, store: Workspaces, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock

    def create(self, name: str) -> tuple[Workspace, bool]:
        """The workspace, and whether this call made it. Raises `InvalidInput` for a name that is none."""
        if not NAME.fullmatch(name):
            raise InvalidInput(
                f"a workspace named {name[:80]!r}",
                found="not a workspace's name",
                hint="Use 1 to 63 characters: a-z, 0-9, _ and -, the first of them a letter or a digit",
            )
        return self._store.create_workspace(name, incarnation=uuid4().hex, at=self._clock())

    def ensure(self, name: str) -> Workspace:
        """The workspace, made where there is none; cheap where there is one."""
        try:
            return self._store.show_workspace(name)
        except UnknownWorkspace:
            return self.create(name)[0]

    def list(self) -> tuple[Workspace, ...]:
        return self._store.list_workspaces()

    def show(self, name: str) -> Workspace:
        return self._store.show_workspace(name)

    def delete(self, name: str, *, stamp: Stamp | None = None) -> Workspace:
        """Deletes it with all it holds; what that was. The default one is there again at once, empty. With a `stamp`
        raises `StaleStamp` where it has been written to since."""
        before = self._store.show_workspace(name)
        self._store.delete_workspace(name, stamp=stamp)
        if name == DEFAULT:
            self.create(name)
        return before

    def reset(self, name: str) -> Workspace:
        """Empties it; what it held before."""
        before = self.delete(name)
        self.create(name)
        return before
