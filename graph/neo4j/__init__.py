"""The Neo4j back end, the only place that speaks to the driver. Keeps the same promises as the embedded store."""

from graph.neo4j.store import Neo4jStore, open_store

__all__ = ["Neo4jStore", "open_store"]
