"""One workspace in memory: its graph, its values, and the arrays that scoring needs, kept current by changes.

Only the changes of the nouns' kinds write to it. The graph of typed edges is NetworkX's; a node stays in it while
something names it, so that what comes back finds its memories.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import networkx as nx
import numpy as np

from graph.catalogue import DataObject, Reference
from graph.embedded.arrays import Column, Rows
from graph.embedded.kinds import Change, form_kind, parts_of
from graph.embedded.memory_columns import KeptExpectation, MemoryColumns
from graph.embedded.session_state import SessionState
from graph.embedded.sorted_keys import SortedKeys, VersionLog
from graph.embedded.vectors import VectorTable
from graph.feedback import Discovery, Trust
from graph.memories import Memory
from graph.plain import Form
from graph.workspaces import Reply, Stamp, Workspace

NodeKey = tuple[str, str]
Timed = tuple[datetime, str]


def object_node(object_id: str) -> NodeKey:
    return ("DataObject", object_id)


def memory_node(memory_id: str) -> NodeKey:
    return ("Memory", memory_id)


def intent_node(intent_id: str) -> NodeKey:
    return ("Intent", intent_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRecord:
    """A workspace and its versions; `removed_version` is that of the latest deletion of an object or intent."""

    incarnation: str
    created_at: datetime
    version: int = 0
    catalogue_version: int = 0
    removed_version: int = 0


class WorkspaceGraph:
    """The contents of a workspace."""

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

    def found_by(self, memory_id: str) -> Iterator[str]:
        """The objects that a memory found, whether they are there or not."""
        return self._ends(self.edges.adj, memory_node(memory_id), "FOUND")

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
        """Return the memory with its missing objects as they are now, or by `live` in place of what is live now."""
        missing = tuple(found for found in memory.objects if not (live or self.is_live)(found))
        return memory if missing == memory.missing else replace(memory, missing=missing)

    def revise_memories(self, object_id: str) -> None:
        """Update the missing objects of the memories that found this one."""
        for memory_id in self.memories_of_object(object_id):
            memory = self.memories.get(memory_id)
            if memory is not None:
                revised = self.memories[memory_id] = self.with_missing(memory)
                self.memory_columns.put(revised, intent_row=self.intent_rows.row_of[revised.intent_id])

    def unlink(self, start: NodeKey, end: NodeKey, kind: str) -> None:
        """Remove an edge, if it is there, and its ends if nothing is left of them."""
        if self.edges.has_edge(start, end, key=kind):
            self.edges.remove_edge(start, end, key=kind)
            self.prune(start)
            self.prune(end)

    def prune(self, node: NodeKey) -> None:
        """Remove a node that is not there once no attribute, reference or memory names it."""
        if node in self.edges and not self.is_there(node) and not self.edges.degree(node):
            self.edges.remove_node(node)

    def _ends(self, neighbours: Any, node: NodeKey, kind: str) -> Iterator[str]:
        if node in self.edges:
            for (_, end), by_kind in neighbours[node].items():
                if kind in by_kind:
                    yield end


def keep_timed(values: dict[str, Any], times: SortedKeys[Timed], change: Change) -> None:
    """Put in or take away a value that has an instant `at`."""
    old = values.pop(change.id, None)
    if old is not None:
        times.discard([(old.at, change.id)])
    if change.value is not None:
        values[change.id] = change.value
        times.add((change.value.at, change.id))


def _apply_workspace(graphs: dict[str, WorkspaceGraph], change: Change) -> None:
    record: WorkspaceRecord | None = change.value
    known = graphs.get(change.workspace)
    if record is None:
        graphs.pop(change.workspace, None)
    elif known is not None and known.record.incarnation == record.incarnation:
        known.record = record
    else:
        graphs[change.workspace] = WorkspaceGraph(change.workspace, record)


WORKSPACE = form_kind(Form(WorkspaceRecord), number=1, name="workspace", apply=_apply_workspace)
"""Applied to all graphs by name, not to one."""
