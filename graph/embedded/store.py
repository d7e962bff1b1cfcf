"""The embedded store: a NetworkX graph in memory, with every committed write first in SQLite where there is a file."""

from pathlib import Path

import networkx as nx

from graph.embedded import catalogue, chunks, evidence, feedback, memories, premises, session_changes, workspaces
from graph.embedded.catalogue import CatalogueOperations
from graph.embedded.changes import ChangeOperations
from graph.embedded.chunks import ChunkOperations
from graph.embedded.embeddings import EmbeddingOperations
from graph.embedded.evidence import EvidenceOperations
from graph.embedded.explore import ExploreOperations
from graph.embedded.feedback import FeedbackOperations
from graph.embedded.journal import Journal
from graph.embedded.memories import MemoryOperations
from graph.embedded.premises import PremiseOperations
from graph.embedded.sessions import SessionOperations
from graph.embedded.sqlite_file import SCHEMA, SqliteFile
from graph.embedded.sqlite_journal import SqliteJournal
from graph.embedded.workspace_graph import WORKSPACE
from graph.embedded.workspaces import WorkspaceOperations
from graph.errors import InvalidSettings
from graph.store import Health

MEMORY = "memory://"
SQLITE = "sqlite:///"


KINDS = (
    WORKSPACE,
    catalogue.OBJECT,
    catalogue.OBJECT_VECTOR,
    catalogue.REFERENCE,
    memories.INTENT,
    memories.INTENT_VECTOR,
    memories.MEMORY,
    evidence.EXPECTATION,
    feedback.DISCOVERY,
    feedback.TRUST,
    workspaces.REPLY,
    session_changes.SESSION,
    chunks.CHUNK,
    chunks.CHUNK_VECTOR,
    chunks.TOMBSTONE,
    premises.PREMISE,
)
"""All kinds of record that a file holds."""


class EmbeddedStore(
    WorkspaceOperations,
    CatalogueOperations,
    MemoryOperations,
    EvidenceOperations,
    ChangeOperations,
    EmbeddingOperations,
    FeedbackOperations,
    ExploreOperations,
    SessionOperations,
    ChunkOperations,
    PremiseOperations,
):
    """See `graph.store.Store`."""

    def health(self) -> Health:
        with self._lock:
            problems = ("the store was closed",) if self._closed else self._journal.problems()
        server = f"NetworkX {nx.__version__}"
        return Health(ready=not problems, store=self.url, server=server, schema=SCHEMA, problems=problems)

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._graphs.clear()
                self._journal.close()


def open_store(url: str) -> EmbeddedStore:
    """The store at `memory://` or `sqlite:///PATH` (a fourth slash begins an absolute path); the file and its folder
    are made where need be. Raises `StoreUnavailable`, `SchemaMismatch`, or `InvalidSettings` for another address."""
    if url == MEMORY:
        return EmbeddedStore(Journal(), url=url)
    path = url.removeprefix(SQLITE)
    if path == url or path in ("", ":memory:"):
        raise InvalidSettings(
            f"the store {url!r}",
            found="an address that the embedded store does not know",
            hint=f"Use {MEMORY} or {SQLITE}PATH",
        )
    try:
        place = Path(path).expanduser()
    except RuntimeError as error:
        raise InvalidSettings(
            f"the store {url!r}",
            found=f"no home folder for {Path(path).parts[0]!r}",
            hint=f"Use {SQLITE}PATH with the path written out",
        ) from error
    journal = SqliteJournal(SqliteFile(place), KINDS)
    try:
        return EmbeddedStore(journal, url=url)
    except BaseException:
        journal.close()
        raise
