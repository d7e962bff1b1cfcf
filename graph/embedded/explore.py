"""The neighbourhood of a node, as people see it: breadth first, nearest first, bounded.

Expectations are edges here though the graph keeps none for them: fifty a memory would be most of it.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from graph.catalogue import DataObject
from graph.embedded.transactions import Core
from graph.embedded.workspace_graph import NodeKey, WorkspaceGraph, intent_node, memory_node, object_node
from graph.errors import NotFound
from graph.evidence import EXPECTED_LIMIT
from graph.explore import Neighbourhood, Node, Relationship
from graph.memories import Memory

OBJECT_SHOWN = ("name", "description", "table", "data_type", "source", "gone")
MEMORY_SHOWN = ("intent", "state", "created_at", "last_used_at", "times", "successes", "failures", "suspended")


class ExploreOperations(Core):
    """See `graph.explore.GraphExplorer`."""

    def neighbourhood(self, workspace: str, around: str, *, depth: int, limit: int = 200) -> Neighbourhood:
        """At one distance, by first label and id."""
        with self._reading(workspace) as graph:
            start = _start(graph, around)
            reached = {start}
            shown = [start]
            frontier = [start]
            truncated = False
            for _ in range(depth):
                frontier = sorted(_step(graph, frontier) - reached)
                reached.update(frontier)
                room = max(limit - len(shown), 0)
                truncated = len(frontier) > room
                shown += frontier[:room]
                if truncated or not frontier:
                    break
            relationships = sorted(_among(graph, set(shown)), key=lambda it: (it.type, it.start, it.end))
            nodes = tuple(_node(graph, node) for node in sorted(shown))
            return Neighbourhood(nodes=nodes, relationships=tuple(relationships), truncated=truncated)


def _start(graph: WorkspaceGraph, around: str) -> NodeKey:
    for node in (object_node(around), memory_node(around), intent_node(around)):
        if graph.is_there(node):
            return node
    raise NotFound(
        f"the neighbourhood of {around!r} in workspace {graph.name!r}",
        found="no object, memory or intent with this id",
        hint="List the ids with `retinue catalog list` or `retinue memory list`",
    )


def _step(graph: WorkspaceGraph, frontier: Iterable[NodeKey]) -> set[NodeKey]:
    reached: set[NodeKey] = set()
    objects = set()
    for node in frontier:
        reached.update(graph.edges.adj[node])
        reached.update(graph.edges.pred[node])
        label, node_id = node
        if label == "DataObject":
            objects.add(node_id)
        elif label == "Memory":
            reached.update(object_node(key) for key in _expected(graph, node_id))
    if objects:
        reached.update(
            memory_node(key)
            for key, kept in graph.expectations.items()
            if not objects.isdisjoint(kept.expectation.objects[:EXPECTED_LIMIT])
        )
    return {node for node in reached if graph.is_there(node)}


def _among(graph: WorkspaceGraph, nodes: set[NodeKey]) -> Iterator[Relationship]:
    for start, end, kind in graph.edges.subgraph(nodes).edges(keys=True):
        yield Relationship(type=kind, start=start, end=end, properties={})
    for label, memory_id in nodes:
        if label == "Memory":
            for object_id, score in _expected(graph, memory_id).items():
                if object_node(object_id) in nodes:
                    yield Relationship(
                        type="EXPECTED",
                        start=memory_node(memory_id),
                        end=object_node(object_id),
                        properties={"score": score},
                    )


def _expected(graph: WorkspaceGraph, memory_id: str) -> dict[str, float]:
    """The first objects of an expectation with their scores: those that are relationships on Neo4j."""
    kept = graph.expectations.get(memory_id)
    pairs = () if kept is None else zip(kept.expectation.objects, kept.expectation.scores, strict=True)
    return dict(islice(pairs, EXPECTED_LIMIT))


def _node(graph: WorkspaceGraph, node: NodeKey) -> Node:
    label, node_id = node
    labels: tuple[str, ...] = (label,)
    if label == "DataObject":
        it = graph.objects[node_id]
        labels, known = (label, it.kind.capitalize()), _known(it, OBJECT_SHOWN)
    elif label == "Memory":
        known = _known(graph.memories[node_id], MEMORY_SHOWN)
    else:
        known = {"text": graph.intents[node_id]}
    return Node(id=node_id, labels=labels, properties={"id": node_id, "workspace": graph.name, **known})


def _known(value: DataObject | Memory, names: Iterable[str]) -> dict[str, Any]:
    """The fields of these names that are not None, instants as text."""
    fields = {name: it for name in names if (it := getattr(value, name)) is not None}
    return {name: it.isoformat() if isinstance(it, datetime) else it for name, it in fields.items()}
