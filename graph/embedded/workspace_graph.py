"""One workspace in memory: its graph, its values, and the arrays that scoring needs, kept current by changes.

`apply` is the only way in, for loading, own writes and the writes of other processes alike. The graph of typed
edges is NetworkX's; a node stays in it while something names it, so that what comes back finds its memories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import networkx as nx
import numpy as np

from graph.embedded.arrays import Column, Rows
from graph.embedded.memory_columns import MemoryColumns
from graph.embedded.ordered import SortedKeys, VersionLog
from graph.embedded.records import Change, KeptExpectation, Kind, WorkspaceRecord, reference_ends
from graph.embedded.vectors import VectorTable
from graph.values import DataObject, Discovery, Memory, Reference, Reply, Stamp, Workspace

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

        self.object_ids: SortedKeys[str] = SortedKeys()
        self.memory_ids: SortedKeys[str] = SortedKeys()
        self.references: SortedKeys[Reference] = SortedKeys()
        self.discovery_times: SortedKeys[Timed] = SortedKeys()
        self.reply_times: SortedKeys[Timed] = SortedKeys()
        self.object_log = VersionLog()
        self.intent_log = VersionLog()
        self._live = {"table": 0, "attribute": 0}

        self.object_rows = Rows()
        self.live_rows = Column(np.bool_)
        self.object_vectors = VectorTable(self.object_rows)
        self.intent_rows = Rows()
        self.intent_vectors = VectorTable(self.intent_rows)
        self.memory_columns = MemoryColumns()
        self._steps: dict[Kind, Callable[[Change], None]] = {
            Kind.OBJECT: self._apply_object,
            Kind.OBJECT_VECTOR: lambda change: self._apply_vector(self.object_vectors, change),
            Kind.REFERENCE: self._apply_reference,
            Kind.INTENT: self._apply_intent,
            Kind.INTENT_VECTOR: lambda change: self._apply_vector(self.intent_vectors, change),
            Kind.MEMORY: self._apply_memory,
            Kind.EXPECTATION: self._apply_expectation,
            Kind.DISCOVERY: lambda change: self._apply_timed(self.discoveries, self.discovery_times, change),
            Kind.REPLY: lambda change: self._apply_timed(self.replies, self.reply_times, change),
        }

    @property
    def stamp(self) -> Stamp:
        it = self.record
        return Stamp(incarnation=it.incarnation, version=it.version, catalogue_version=it.catalogue_version)

    @property
    def live_count(self) -> int:
        return self._live["table"] + self._live["attribute"]

    def summary(self) -> Workspace:
        return Workspace(
            name=self.name,
            created_at=self.record.created_at,
            stamp=self.stamp,
            tables=self._live["table"],
            attributes=self._live["attribute"],
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

    def apply(self, change: Change) -> None:
        """Changes of many transactions at once may come in any order of kinds; those of one id, once."""
        self._steps[change.kind](change)

    def _ends(self, neighbours: Any, node: NodeKey, kind: str) -> Iterator[str]:
        if node in self.edges:
            for (_, end), by_kind in neighbours[node].items():
                if kind in by_kind:
                    yield end

    def _apply_object(self, change: Change) -> None:
        old: DataObject | None = self.objects.get(change.id)
        new: DataObject | None = change.value
        if old is not None and not old.gone:
            self._live[old.kind] -= 1
        if old is not None and old.table is not None and (new is None or new.table != old.table):
            self._unlink(object_node(old.table), object_node(change.id), "HAS_ATTRIBUTE")
        if new is None:
            self._drop_object(change.id)
        else:
            self._put_object(new, known=old is not None)
            self.object_log.write(change.id, change.version)
        if self.memories and (old is not None and not old.gone) != (new is not None and not new.gone):
            self._revise_memories(change.id)

    def _put_object(self, it: DataObject, *, known: bool) -> None:
        if not known:
            self.object_ids.add(it.id)
        self.objects[it.id] = it
        self.live_rows.put(self.object_rows.take(it.id), not it.gone)
        if it.table is not None:
            self.edges.add_edge(object_node(it.table), object_node(it.id), key="HAS_ATTRIBUTE")
        else:
            self.edges.add_node(object_node(it.id))
        if not it.gone:
            self._live[it.kind] += 1

    def _drop_object(self, object_id: str) -> None:
        if self.objects.pop(object_id, None) is not None:
            self.object_ids.discard([object_id])
        self.object_log.drop(object_id)
        self.object_vectors.drop(object_id)
        row = self.object_rows.leave(object_id)
        if row is not None:
            self.live_rows.clear(row)
        self._prune(object_node(object_id))

    def _apply_vector(self, table: VectorTable, change: Change) -> None:
        if change.value is None:
            table.drop(change.id)
        else:
            table.put(change.id, change.value)

    def _apply_reference(self, change: Change) -> None:
        start, end = reference_ends(change.id)
        there = self.has_reference((start, end))
        if change.value is None and there:
            self._unlink(object_node(start), object_node(end), "REFERENCES")
            self.references.discard([(start, end)])
        elif change.value is not None and not there:
            self.edges.add_edge(object_node(start), object_node(end), key="REFERENCES")
            self.references.add((start, end))

    def _apply_intent(self, change: Change) -> None:
        if change.value is None:
            self.intents.pop(change.id, None)
            self.intent_log.drop(change.id)
            self.intent_vectors.drop(change.id)
            self.intent_rows.leave(change.id)
            self._prune(intent_node(change.id))
        else:
            self.intents[change.id] = change.value
            self.intent_rows.take(change.id)
            self.intent_log.write(change.id, change.version)
            self.edges.add_node(intent_node(change.id))

    def _apply_memory(self, change: Change) -> None:
        node = memory_node(change.id)
        old = self.memories.pop(change.id, None)
        if change.value is None:
            if old is not None:
                self.memory_ids.discard([change.id])
                self._remove_memory_node(node)
            self.memory_columns.drop(change.id)
            return
        new: Memory = self.with_missing(change.value)
        self.memories[new.id] = new
        if old is None:
            self.memory_ids.add(new.id)
        if old is None or (old.intent_id, old.objects) != (new.intent_id, new.objects):
            if old is not None:
                self._remove_memory_node(node)
            self.edges.add_edge(node, intent_node(new.intent_id), key="FOR")
            for found in new.objects:
                self.edges.add_edge(node, object_node(found), key="FOUND")
        self.memory_columns.put(new, intent_row=self.intent_rows.take(new.intent_id))

    def _apply_expectation(self, change: Change) -> None:
        if change.value is None:
            self.expectations.pop(change.id, None)
            self.memory_columns.expect(change.id, None)
        else:
            self.expectations[change.id] = change.value
            self.memory_columns.expect(change.id, change.value)

    def _apply_timed(self, values: dict[str, Any], times: SortedKeys[Timed], change: Change) -> None:
        old = values.pop(change.id, None)
        if old is not None:
            times.discard([(old.at, change.id)])
        if change.value is not None:
            values[change.id] = change.value
            times.add((change.value.at, change.id))

    def with_missing(self, memory: Memory, *, live: Callable[[str], bool] | None = None) -> Memory:
        """The memory, with the objects named as missing that are so now, or by another idea of what is live."""
        missing = tuple(found for found in memory.objects if not (live or self.is_live)(found))
        return memory if missing == memory.missing else replace(memory, missing=missing)

    def _revise_memories(self, object_id: str) -> None:
        for memory_id in self.memories_of_object(object_id):
            memory = self.memories.get(memory_id)
            if memory is not None:
                revised = self.memories[memory_id] = self.with_missing(memory)
                self.memory_columns.put(revised, intent_row=self.intent_rows.row_of[revised.intent_id])

    def _remove_memory_node(self, node: NodeKey) -> None:
        named = list(self.edges.adj[node])
        self.edges.remove_node(node)
        for other in named:
            self._prune(other)

    def _unlink(self, start: NodeKey, end: NodeKey, kind: str) -> None:
        if self.edges.has_edge(start, end, key=kind):
            self.edges.remove_edge(start, end, key=kind)
            self._prune(start)
            self._prune(end)

    def _prune(self, node: NodeKey) -> None:
        """Takes a node that is not there out of the graph once no attribute, reference or memory names it."""
        if node in self.edges and not self.is_there(node) and not self.edges.degree(node):
            self.edges.remove_node(node)
