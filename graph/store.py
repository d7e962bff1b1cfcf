"""A whole store: every port in one, its health, and closing it.

Services take single ports; only `transfer` and the wiring take a whole store.
"""

from dataclasses import dataclass
from typing import Protocol

from graph.catalogue import Catalogue
from graph.changes import ChangeFeed
from graph.chunks import Chunks
from graph.embeddings import EmbeddingStore
from graph.evidence import EvidenceSource
from graph.explore import GraphExplorer
from graph.feedback import FeedbackStore
from graph.memories import Memories
from graph.premises import Premises
from graph.session_contents import SessionReader
from graph.sessions import Sessions
from graph.workspaces import Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The state of a store. `ready` only if it is reachable, its schema current, its indexes online.
    `mended` says what was found broken, and repaired, when it was opened."""

    ready: bool
    store: str
    server: str
    schema: int
    problems: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()


class Store(
    Workspaces,
    Catalogue,
    Memories,
    EvidenceSource,
    ChangeFeed,
    EmbeddingStore,
    FeedbackStore,
    GraphExplorer,
    Sessions,
    SessionReader,
    Chunks,
    Premises,
    Protocol,
):
    """A whole store. Opening it (see each back end's `open_store`) brings its schema up to date."""

    url: str
    """Its address without credentials, for people."""

    def health(self) -> Health:
        """Return the state of the store; does not raise if it cannot be reached."""

    def close(self) -> None:
        """Close connections and files. Idempotent."""
