"""The embedded store: needs nothing installed, keeps the same promises as Neo4j."""

from graph.embedded.store import EmbeddedStore, open_store

__all__ = ["EmbeddedStore", "open_store"]
