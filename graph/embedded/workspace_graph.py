"""One workspace in memory: its graph, its values, and the arrays that scoring needs, kept current by changes.

`graph.embedded.projection` is the only way in; here it is only read. The graph of typed
edges is NetworkX's; a node stays in it while something names it, so that what comes back finds its memories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import networkx as nx
import numpy as np

from graph.catalogue import DataObject, Reference
from graph.embedded.arrays import Column, Rows
from graph.embedded.changes import KeptExpectation, WorkspaceRecord, parts_of
from graph.embedded.memory_columns import MemoryColumns
from graph.embedded.session_state import SessionState
from graph.embedded.sorted_keys import SortedKeys, VersionLog
from graph.embedded.vectors import VectorTable
from graph.feedback import Discovery, Trust
from graph.memories import Memory
from graph.workspaces import Reply, Stamp, Workspace

NodeKey = tuple[str, str]
Timed = tuple[datetime, str]


def object_node(object_id: str) -> NodeKey:
    return ("DataObject", object_id)


def memory_node(memory_id: str) -> NodeKey:
    return ("Memory", memory_id)


def intent_node(intent_id: str) -> NodeKey:
    return ("Intent", intent_id)


class WorkspaceGraph:
    """All that a workspace holds."""

    def __init__(self, name: str, record: WorkspaceRecord) -> None:
        self.name = name
        self.record = record
        self.edges: nx.MultiDiGraph[NodeKey] = nx.MultiDiGraph()
        self.objects: dict[str, DataObject] = {}
        self.memories: dict[str, Memory] = {}
        self.intents: dict[str, str] = {}
        self.expectations: dict[str, KeptExpectation] = {}
        self.discoveries: dict[str, Discovery] = {}
        self.replies: dict[str, Reply] = {}
        self.trust: dict[str, Trust] = {}
        self.sessions: dict[str, SessionState] = {}

        self.object_ids: SortedKeys[str] = SortedKeys()
        self.memory_ids: SortedKeys[str] = SortedKeys()
        self.session_ids: SortedKeys[str] = SortedKeys()
        self.references: SortedKeys[Reference] = SortedKeys()
        self.discovery_times: SortedKeys[Timed] = SortedKeys()
        self.reply_times: SortedKeys[Timed] = SortedKeys()
        self.object_log = VersionLog()
        self.intent_log = VersionLog()
        self.live = {"table": 0, "attribute": 0}

        self.object_rows = Rows()
        self.live_rows = Column(np.bool_)
        self.object_vectors = VectorTable(self.object_rows)
        self.intent_rows = Rows()
        self.intent_vectors = VectorTable(self.intent_rows)
        self.memory_columns = MemoryColumns()

    @property
    def stamp(self) -> Stamp:
        it = self.record
        return Stamp(incarnation=it.incarnation, version=it.version, catalogue_version=it.catalogue_version)

    @property
    def live_count(self) -> int:
        return self.live["table"] + self.live["attribute"]

    def summary(self) -> Workspace:
        return Workspace(
            name=self.name,
            created_at=self.record.created_at,
            stamp=self.stamp,
            tables=self.live["table"],
            attributes=self.live["attribute"],
            gone=len(self.objects) - self.live_count,
            references=len(self.references),
            memories=len(self.memories),
        )

    def is_live(self, object_id: str) -> bool:
        it = self.objects.get(object_id)
        return it is not None and not it.gone

    def is_there(self, node: NodeKey) -> bool:
        label, node_id = node
        match label:
            case "DataObject":
                return node_id in self.objects
            case "Memory":
                return node_id in self.memories
            case "Session":
                return node_id in self.sessions
            case "Chunk":
                session, chunk = parts_of(node_id)
                return session in self.sessions and chunk in self.sessions[session].chunks
            case _:
                return node_id in self.intents

    def attributes_of(self, table: str) -> Iterator[str]:
        return self._ends(self.edges.adj, object_node(table), "HAS_ATTRIBUTE")

    def memories_of_object(self, object_id: str) -> Iterator[str]:
        """The memories that found it, whether it is there or not."""
        return self._ends(self.edges.pred, object_node(object_id), "FOUND")

    def memories_of_intent(self, intent_id: str) -> Iterator[str]:
        return self._ends(self.edges.pred, intent_node(intent_id), "FOR")

    def references_of(self, object_id: str) -> Iterator[Reference]:
        node = object_node(object_id)
        for end in self._ends(self.edges.adj, node, "REFERENCES"):
            yield object_id, end
        for start in self._ends(self.edges.pred, node, "REFERENCES"):
            yield start, object_id

    def has_reference(self, reference: Reference) -> bool:
        start, end = reference
        return bool(self.edges.has_edge(object_node(start), object_node(end), key="REFERENCES"))

    def with_missing(self, memory: Memory, *, live: Callable[[str], bool] | None = None) -> Memory:
        """The memory, with the objects named as missing that are so now, or by another idea of what is live."""
        missing = tuple(found for found in memory.objects if not (live or self.is_live)(found))
        return memory if missing == memory.missing else replace(memory, missing=missing)

    def _ends(self, neighbours: Any, node: NodeKey, kind: str) -> Iterator[str]:
        if node in self.edges:
            for (_, end), by_kind in neighbours[node].items():
                if kind in by_kind:
                    yield end
