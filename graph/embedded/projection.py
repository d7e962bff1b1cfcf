"""How a change gets into a workspace's graph and arrays: by kind, a row at a time, nothing built anew.

Loading, own writes and the writes of other processes all come this way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graph.catalogue import DataObject
from graph.embedded.changes import Change, Kind, parts_of, reference_ends
from graph.embedded.session_state import SessionState, chunk_node, session_node
from graph.embedded.sorted_keys import SortedKeys
from graph.embedded.vectors import VectorTable
from graph.embedded.workspace_graph import NodeKey, Timed, WorkspaceGraph, intent_node, memory_node, object_node
from graph.memories import Memory


def apply(graph: WorkspaceGraph, change: Change) -> None:
    """Changes of many transactions at once may come in any order of kinds; those of one id, once."""
    _STEPS[change.kind](graph, change)


def _apply_object(graph: WorkspaceGraph, change: Change) -> None:
    old: DataObject | None = graph.objects.get(change.id)
    new: DataObject | None = change.value
    if old is not None and not old.gone:
        graph.live[old.kind] -= 1
    if old is not None and old.table is not None and (new is None or new.table != old.table):
        _unlink(graph, object_node(old.table), object_node(change.id), "HAS_ATTRIBUTE")
    if new is None:
        _drop_object(graph, change.id)
    else:
        _put_object(graph, new, known=old is not None)
        graph.object_log.write(change.id, change.version)
    if graph.memories and (old is not None and not old.gone) != (new is not None and not new.gone):
        _revise_memories(graph, change.id)


def _put_object(graph: WorkspaceGraph, it: DataObject, *, known: bool) -> None:
    if not known:
        graph.object_ids.add(it.id)
    graph.objects[it.id] = it
    graph.live_rows.put(graph.object_rows.take(it.id), not it.gone)
    if it.table is not None:
        graph.edges.add_edge(object_node(it.table), object_node(it.id), key="HAS_ATTRIBUTE")
    else:
        graph.edges.add_node(object_node(it.id))
    if not it.gone:
        graph.live[it.kind] += 1


def _drop_object(graph: WorkspaceGraph, object_id: str) -> None:
    if graph.objects.pop(object_id, None) is not None:
        graph.object_ids.discard([object_id])
    graph.object_log.drop(object_id)
    graph.object_vectors.drop(object_id)
    row = graph.object_rows.leave(object_id)
    if row is not None:
        graph.live_rows.clear(row)
    _prune(graph, object_node(object_id))


def _apply_vector(table: VectorTable, change: Change) -> None:
    if change.value is None:
        table.drop(change.id)
    else:
        table.put(change.id, change.value)


def _apply_reference(graph: WorkspaceGraph, change: Change) -> None:
    start, end = reference_ends(change.id)
    there = graph.has_reference((start, end))
    if change.value is None and there:
        _unlink(graph, object_node(start), object_node(end), "REFERENCES")
        graph.references.discard([(start, end)])
    elif change.value is not None and not there:
        graph.edges.add_edge(object_node(start), object_node(end), key="REFERENCES")
        graph.references.add((start, end))


def _apply_intent(graph: WorkspaceGraph, change: Change) -> None:
    if change.value is None:
        graph.intents.pop(change.id, None)
        graph.intent_log.drop(change.id)
        graph.intent_vectors.drop(change.id)
        graph.intent_rows.leave(change.id)
        _prune(graph, intent_node(change.id))
    else:
        graph.intents[change.id] = change.value
        graph.intent_rows.take(change.id)
        graph.intent_log.write(change.id, change.version)
        graph.edges.add_node(intent_node(change.id))


def _apply_memory(graph: WorkspaceGraph, change: Change) -> None:
    node = memory_node(change.id)
    old = graph.memories.pop(change.id, None)
    if change.value is None:
        if old is not None:
            graph.memory_ids.discard([change.id])
            _remove_memory_node(graph, node)
        graph.memory_columns.drop(change.id)
        return
    new: Memory = graph.with_missing(change.value)
    graph.memories[new.id] = new
    if old is None:
        graph.memory_ids.add(new.id)
    if old is None or (old.intent_id, old.objects) != (new.intent_id, new.objects):
        if old is not None:
            _remove_memory_node(graph, node)
        graph.edges.add_edge(node, intent_node(new.intent_id), key="FOR")
        for found in new.objects:
            graph.edges.add_edge(node, object_node(found), key="FOUND")
    graph.memory_columns.put(new, intent_row=graph.intent_rows.take(new.intent_id))


def _apply_expectation(graph: WorkspaceGraph, change: Change) -> None:
    if change.value is None:
        graph.expectations.pop(change.id, None)
        graph.memory_columns.expect(change.id, None)
    else:
        graph.expectations[change.id] = change.value
        graph.memory_columns.expect(change.id, change.value)


def _apply_session(graph: WorkspaceGraph, change: Change) -> None:
    """What a session holds goes with it. One that was deleted and made again since others looked comes to them as a new
    record, and what it held as so many deletions."""
    known = graph.sessions.get(change.id)
    if change.value is None:
        if known is not None:
            del graph.sessions[change.id]
            graph.session_ids.discard([change.id])
            graph.edges.remove_nodes_from([session_node(change.id), *(chunk_node(change.id, c) for c in known.chunks)])
    elif known is None:
        graph.sessions[change.id] = SessionState(change.id, change.value, graph.edges)
        graph.session_ids.add(change.id)
        graph.edges.add_node(session_node(change.id))
    else:
        known.record = change.value


def _apply_chunk(graph: WorkspaceGraph, change: Change) -> None:
    session, chunk_id = parts_of(change.id)
    state = graph.sessions.get(session)
    if state is None:
        return
    old = state.chunks.get(chunk_id)
    if old is not None:
        state.count(old, -1)
        if state.at.get(old.position) == chunk_id:
            del state.at[old.position]
    if change.value is None:
        if old is not None:
            del state.chunks[chunk_id]
            state.premises -= len(list(state.premises_at(chunk_id)))
            graph.edges.remove_node(chunk_node(session, chunk_id))
    else:
        state.chunks[chunk_id] = change.value
        state.at[change.value.position] = chunk_id
        state.count(change.value, 1)
        if old is None:
            graph.edges.add_edge(session_node(session), chunk_node(session, chunk_id), key="CONTAINS")
    state.touch()


def _apply_chunk_vector(graph: WorkspaceGraph, change: Change) -> None:
    session, chunk_id = parts_of(change.id)
    state = graph.sessions.get(session)
    if state is not None:
        _keep(state.vectors, chunk_id, change.value)


def _apply_premise(graph: WorkspaceGraph, change: Change) -> None:
    session, chunk, premise = parts_of(change.id)
    state = graph.sessions.get(session)
    if state is None:
        return
    start, end = chunk_node(session, chunk), chunk_node(session, premise)
    known = state.premise(chunk, premise) is not None
    if change.value is not None:
        state.premises += not known
        graph.edges.add_edge(start, end, key="PREMISE", premise=change.value)
    elif known:  # else it went with a chunk
        state.premises -= 1
        graph.edges.remove_edge(start, end, key="PREMISE")
    state.touch()


def _apply_tombstone(graph: WorkspaceGraph, change: Change) -> None:
    session, chunk = parts_of(change.id)
    state = graph.sessions.get(session)
    if state is not None:
        _keep(state.tombstones, chunk, change.value)


def _keep(values: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value


def _apply_timed(values: dict[str, Any], times: SortedKeys[Timed], change: Change) -> None:
    old = values.pop(change.id, None)
    if old is not None:
        times.discard([(old.at, change.id)])
    if change.value is not None:
        values[change.id] = change.value
        times.add((change.value.at, change.id))


def _apply_trust(graph: WorkspaceGraph, change: Change) -> None:
    if change.value is None:
        graph.trust.pop(change.id, None)
    else:
        graph.trust[change.id] = change.value


def _revise_memories(graph: WorkspaceGraph, object_id: str) -> None:
    for memory_id in graph.memories_of_object(object_id):
        memory = graph.memories.get(memory_id)
        if memory is not None:
            revised = graph.memories[memory_id] = graph.with_missing(memory)
            graph.memory_columns.put(revised, intent_row=graph.intent_rows.row_of[revised.intent_id])


def _remove_memory_node(graph: WorkspaceGraph, node: NodeKey) -> None:
    named = list(graph.edges.adj[node])
    graph.edges.remove_node(node)
    for other in named:
        _prune(graph, other)


def _unlink(graph: WorkspaceGraph, start: NodeKey, end: NodeKey, kind: str) -> None:
    if graph.edges.has_edge(start, end, key=kind):
        graph.edges.remove_edge(start, end, key=kind)
        _prune(graph, start)
        _prune(graph, end)


def _prune(graph: WorkspaceGraph, node: NodeKey) -> None:
    """Takes a node that is not there out of the graph once no attribute, reference or memory names it."""
    if node in graph.edges and not graph.is_there(node) and not graph.edges.degree(node):
        graph.edges.remove_node(node)


_STEPS: dict[Kind, Callable[[WorkspaceGraph, Change], None]] = {
    Kind.OBJECT: _apply_object,
    Kind.OBJECT_VECTOR: lambda graph, change: _apply_vector(graph.object_vectors, change),
    Kind.REFERENCE: _apply_reference,
    Kind.INTENT: _apply_intent,
    Kind.INTENT_VECTOR: lambda graph, change: _apply_vector(graph.intent_vectors, change),
    Kind.MEMORY: _apply_memory,
    Kind.EXPECTATION: _apply_expectation,
    Kind.DISCOVERY: lambda graph, change: _apply_timed(graph.discoveries, graph.discovery_times, change),
    Kind.REPLY: lambda graph, change: _apply_timed(graph.replies, graph.reply_times, change),
    Kind.TRUST: lambda graph, change: _apply_trust(graph, change),
    Kind.SESSION: _apply_session,
    Kind.CHUNK: _apply_chunk,
    Kind.CHUNK_VECTOR: _apply_chunk_vector,
    Kind.PREMISE: _apply_premise,
    Kind.TOMBSTONE: _apply_tombstone,
}
