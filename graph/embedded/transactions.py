"""The core of the embedded store: one lock, one journal, and one way for every change into the graphs.

A write is computed as changes, committed to the journal, and only then applied; the nouns' operations build on it.
"""

import gc
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from graph.embedded.journal import Journal
from graph.embedded.kinds import Change, Kind
from graph.embedded.lock_wait import BUSY_HINT, LockWait
from graph.embedded.workspace_graph import WORKSPACE, WorkspaceGraph
from graph.errors import InvalidInput, StoreUnavailable, UnknownWorkspace
from graph.workspaces import Stamp


class Draft:
    """The changes of one write to a workspace, before they are committed."""

    def __init__(self, graph: WorkspaceGraph) -> None:
        self.workspace = graph.name
        self.record = graph.record
        self.version = graph.record.version + 1
        self._changes: list[Change] = []

    def put(self, kind: Kind, record_id: str, value: Any) -> None:
        self._changes.append(Change(self.workspace, kind, record_id, self.version, value))

    def drop(self, kind: Kind, ids: Iterable[str]) -> None:
        self._changes += (Change(self.workspace, kind, record_id, self.version, None) for record_id in ids)

    def move(self, *, catalogue: bool = False, removal: bool = False) -> None:
        """Increase the workspace's version, once for this write."""
        self.record = replace(
            self.record,
            version=self.version,
            catalogue_version=self.version if catalogue else self.record.catalogue_version,
            removed_version=self.version if removal else self.record.removed_version,
        )

    @property
    def is_empty(self) -> bool:
        return not self._changes

    @property
    def stamp(self) -> Stamp:
        """The stamp after this write."""
        it = self.record
        return Stamp(incarnation=it.incarnation, version=it.version, catalogue_version=it.catalogue_version)

    def changes(self) -> list[Change]:
        """Return all changes by kind, with the workspace's own record where the version moved."""
        changes = list(self._changes)
        if self.record.version == self.version:
            changes.append(Change(self.workspace, WORKSPACE, "", self.version, self.record))
        return sorted(changes, key=lambda change: change.kind.number)


class Core:
    """The workspaces' graphs behind a lock, in step with the journal."""

    def __init__(self, journal: Journal, *, url: str) -> None:
        self.url = url
        self._journal = journal
        self._lock = threading.RLock()
        self._turn = threading.RLock()  # of the writers; taken before the lock
        self._graphs: dict[str, WorkspaceGraph] = {}
        self._closed = False
        self._broken = False
        with self._lock:
            self._catch_up()

    @contextmanager
    def _reading(self, workspace: str) -> Iterator[WorkspaceGraph]:
        """Hold the lock, with the workspace's graph as it is now."""
        with self._lock:
            self._catch_up()
            yield self._graph(workspace)

    @contextmanager
    def _writing(self, workspace: str) -> Iterator[tuple[WorkspaceGraph, Draft]]:
        """Hold the lock, with a draft that is committed, then applied, when the block is done."""
        with self._exclusively():
            graph = self._graph(workspace)
            draft = Draft(graph)
            yield graph, draft
            if not draft.is_empty:
                self._commit(draft.changes())

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        """Keep all other writers, of this process and others, out until the block is done. While a writer waits for
        another process, readers of this one go on."""
        with self._turn:
            patience = LockWait()
            while True:
                with self._lock:
                    self._check_open()
                    if self._journal.begin():
                        try:
                            self._catch_up()
                            yield
                        finally:
                            self._journal.end()
                        return
                if not patience.pause():
                    raise StoreUnavailable(f"to write to {self.url}", found="it is locked", hint=BUSY_HINT)

    def _commit(self, changes: Sequence[Change]) -> None:
        self._broken = True  # until applied: an interrupt leaves open what was committed
        try:
            self._journal.commit(changes)
        except UnicodeEncodeError as error:
            self._broken = False
            raise InvalidInput(
                "a text to be stored",
                found=f"half of a surrogate pair, {error.object[error.start]!r}, which is no character",
                hint="Send valid Unicode text",
            ) from error
        except Exception:
            self._broken = False
            raise
        self._apply(changes)

    def _catch_up(self) -> None:
        self._check_open()
        if self._broken:
            self._journal.rewind()
        update = self._journal.read()
        if update is None:
            return
        with closing(update.changes):
            if update.complete:
                self._graphs.clear()
                with _collector_at_rest():
                    self._apply(update.changes)
            else:
                self._apply(update.changes)

    def _apply(self, changes: Iterable[Change]) -> None:
        # an interrupt half-way (a Ctrl-C, too) leaves graphs that must not be read: they are loaded again
        self._broken = True
        for change in changes:
            if change.kind is WORKSPACE:
                WORKSPACE.apply(self._graphs, change)
            else:
                change.kind.apply(self._graphs[change.workspace], change)
        self._broken = False

    def _graph(self, workspace: str) -> WorkspaceGraph:
        graph = self._graphs.get(workspace)
        if graph is None:
            raise UnknownWorkspace(workspace)
        return graph

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"the store {self.url}", found="it was closed", hint="Open it again")


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause the garbage collector: loading makes many objects and no garbage, and searches cost a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
