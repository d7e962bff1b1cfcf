"""The neighbourhood of a node in Neo4j, as people see it."""

from collections.abc import Mapping
from typing import Any

from graph.errors import NotFound
from graph.explore import Neighbourhood, Node, Relationship
from graph.neo4j.connection import Connection
from graph.neo4j.mapping import check_whole, instant

_LABELS = {"table": ("DataObject", "Table"), "attribute": ("DataObject", "Attribute")}


class ExploreQueries:
    """See `graph.explore.GraphExplorer`."""

    connection: Connection

    def neighbourhood(self, workspace: str, around: str, *, depth: int, limit: int = 200) -> Neighbourhood:
        found = self.connection.read(
            "neighbourhood", _neighbourhood, workspace=workspace, around=around, depth=depth, limit=limit
        )
        if found is None:
            raise NotFound(
                f"the neighbourhood of {around!r} in workspace {workspace!r}",
                found="no object, memory or intent with this id",
                hint="List the ids with `retinue catalog list` or `retinue memory list`",
            )
        return found


def _neighbourhood(row: Mapping[str, Any]) -> Neighbourhood | None:
    if not row["there"]:
        return None
    nodes = sorted((_node(found) for found in row["nodes"]), key=lambda node: (node.labels[0], node.id))
    relationships = sorted(
        (_relationship(found) for found in row["relationships"]), key=lambda it: (it.type, it.start, it.end)
    )
    return Neighbourhood(nodes=tuple(nodes), relationships=tuple(relationships), truncated=row["truncated"])


def _node(row: Mapping[str, Any]) -> Node:
    check_whole(row["id"])
    known = {
        name: instant(value).isoformat() if hasattr(value, "to_native") else value
        for name, value in row.items()
        if value is not None and name not in ("label", "kind")
    }
    return Node(id=row["id"], labels=_LABELS.get(row["kind"], (row["label"],)), properties=known)


def _relationship(row: Mapping[str, Any]) -> Relationship:
    check_whole(row["type"], row["start_id"], row["end_id"])
    return Relationship(
        type=row["type"],
        start=(row["start"], row["start_id"]),
        end=(row["end"], row["end_id"]),
        properties={} if row["score"] is None else {"score": row["score"]},
    )
