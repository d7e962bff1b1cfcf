"""The embedded store: a NetworkX graph in memory, with every committed write first in SQLite where there is a file."""

from __future__ import annotations

import networkx as nx

from graph.embedded.catalogue import CatalogueOperations
from graph.embedded.discoveries import DiscoveryOperations
from graph.embedded.journal import Journal, NullJournal
from graph.embedded.memories import MemoryOperations
from graph.embedded.workspaces import WorkspaceOperations
from graph.errors import InvalidSettings
from graph.values import Health


class EmbeddedStore(WorkspaceOperations, CatalogueOperations, MemoryOperations, DiscoveryOperations):
    """See `graph.ports.Store`."""

    def health(self) -> Health:
        with self._lock:
            problems = ("the store was closed",) if self._closed else self._journal.problems()
        server = f"NetworkX {nx.__version__}"
        return Health(ready=not problems, store=self.url, server=server, schema=1, problems=problems)

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._graphs.clear()
                self._journal.close()


def open_store(url: str) -> EmbeddedStore:
    """The store at `memory://` or `sqlite:///PATH`; its file, and the folder it lies in, are made where need be."""
    return EmbeddedStore(_journal(url), url=url)


def _journal(url: str) -> Journal:
    if url == "memory://":
        return NullJournal()
    raise InvalidSettings(
        f"the store {url!r}",
        found="an address that the embedded store does not know",
        hint="Use memory:// or sqlite:///PATH",
    )
