"""The references near some tables, for joining them: breadth first through the graph, live tables and columns alone."""

from collections.abc import Iterator, Sequence

from graph.catalogue import REACH, Joint
from graph.embedded.workspace_graph import WorkspaceGraph


def joints_near(graph: WorkspaceGraph, tables: Sequence[str]) -> Iterator[Joint]:
    """Those within REACH of the tables, some of them twice."""
    frontier = [table for table in tables if graph.is_live(table)]
    seen = set(frontier)
    for _ in range(REACH):
        reached = []
        for table in frontier:
            for joint in _joints(graph, table):
                yield joint
                if joint[1] not in seen:
                    seen.add(joint[1])
                    reached.append(joint[1])
        frontier = reached


def _joints(graph: WorkspaceGraph, table: str) -> Iterator[Joint]:
    for column in filter(graph.is_live, graph.attributes_of(table)):
        for reference in graph.references_of(column):
            end = reference[1] if reference[0] == column else reference[0]
            other = graph.objects[end].table if graph.is_live(end) else None
            if other is not None and other != table and graph.is_live(other):
                yield table, other, reference
