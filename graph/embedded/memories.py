"""Memories in the embedded store: saved at the expected revision, forgotten with expectation and intent."""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from graph import plain
from graph.embedded.evidence import EXPECTATION
from graph.embedded.kinds import Change, Kind, Vector, form_kind
from graph.embedded.transactions import Core, Draft
from graph.embedded.vectors import checked
from graph.embedded.workspace_graph import NodeKey, WorkspaceGraph, intent_node, memory_node, object_node
from graph.embeddings import Embeddings
from graph.errors import StaleMemory
from graph.memories import Memory, MemoryDifference, MemoryState


def _apply_intent(graph: WorkspaceGraph, change: Change) -> None:
    if change.value is None:
        graph.intents.pop(change.id, None)
        graph.intent_log.drop(change.id)
        graph.intent_vectors.drop(change.id)
        graph.intent_rows.leave(change.id)
        graph.prune(intent_node(change.id))
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


def _remove_memory_node(graph: WorkspaceGraph, node: NodeKey) -> None:
    named = list(graph.edges.adj[node])
    graph.edges.remove_node(node)
    for other in named:
        graph.prune(other)


INTENT = Kind(number=5, name="intent", apply=_apply_intent)
INTENT_VECTOR = Kind(number=6, name="intent vector", apply=lambda graph, change: graph.intent_vectors.apply(change))
MEMORY = form_kind(plain.MEMORY, "id", number=7, name="memory", apply=_apply_memory)


class MemoryOperations(Core):
    """See `graph.memories.Memories`."""

    def check_memories(self, workspace: str) -> tuple[MemoryDifference, ...]:
        """There is nothing to compare but FOUND: an expectation has no edges here."""
        with self._reading(workspace) as graph:
            differences = []
            for memory in graph.memory_ids.after(None):
                wanted, there = set(graph.memories[memory].objects), set(graph.found_by(memory))
                if wanted != there:
                    lacking, extra = tuple(sorted(wanted - there)), tuple(sorted(there - wanted))
                    differences.append(
                        MemoryDifference(memory=memory, relationship="FOUND", lacking=lacking, extra=extra)
                    )
            return tuple(differences)

    def save_memories(
        self,
        workspace: str,
        memories: Sequence[Memory],
        *,
        embeddings: Embeddings | None = None,
        instead_of: Memory | None = None,
    ) -> tuple[bool, ...]:
        with self._writing(workspace) as (graph, draft):
            vectors = checked(embeddings, graph.intent_vectors)
            current = tuple(memory.revision == _revision(graph, memory.id) for memory in memories)
            saved = [memory for memory, wins in zip(memories, current, strict=True) if wins]
            leaving: set[str] = set()
            if instead_of is not None and saved and all(current):
                there = graph.memories.get(instead_of.id)
                if there is None or there.revision != instead_of.revision:
                    raise StaleMemory(instead_of.id, instead_of.revision)
                leaving = {instead_of.id}
                draft.drop(MEMORY, leaving)
                draft.drop(EXPECTATION, leaving & graph.expectations.keys())
            kept = [_as_stored(memory, revision=memory.revision + 1) for memory in saved]
            _put(graph, draft, kept, vectors=vectors, leaving=leaving)
            return current

    def load_memories(self, workspace: str, memories: Sequence[Memory]) -> None:
        with self._writing(workspace) as (graph, draft):
            given = (_as_stored(memory, revision=memory.revision) for memory in memories)
            there = graph.memories
            _put(graph, draft, [it for it in given if it.id not in there or it != replace(there[it.id], missing=())])

    def show_memories(self, workspace: str, ids: Sequence[str]) -> tuple[Memory, ...]:
        with self._reading(workspace) as graph:
            return tuple(graph.memories[key] for key in sorted(set(ids)) if key in graph.memories)

    def list_memories(
        self,
        workspace: str,
        *,
        state: MemoryState | None = None,
        suspended: bool | None = None,
        intent_id: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[Memory, ...]:
        with self._reading(workspace) as graph:
            if intent_id is None:
                keys = graph.memory_ids.after(after)
            else:
                own = sorted(graph.memories_of_intent(intent_id))
                keys = (key for key in own if after is None or key > after)
            found = (
                memory
                for memory in map(graph.memories.__getitem__, keys)
                if state in (None, memory.state) and suspended in (None, memory.suspended)
            )
            return tuple(islice(found, limit))

    def forget_memories(self, workspace: str, ids: Sequence[str], *, revision: int | None = None) -> tuple[str, ...]:
        with self._writing(workspace) as (graph, draft):
            leaving = {key for key in ids if key in graph.memories and revision in (None, graph.memories[key].revision)}
            if not leaving:
                return ()
            draft.drop(MEMORY, sorted(leaving))
            draft.drop(EXPECTATION, sorted(key for key in leaving if key in graph.expectations))
            orphans = _drop_orphans(graph, draft, leaving)
            draft.move(removal=orphans)
            return tuple(sorted(leaving))


def _revision(graph: WorkspaceGraph, memory_id: str) -> int:
    stored = graph.memories.get(memory_id)
    return 0 if stored is None else stored.revision


def _as_stored(memory: Memory, *, revision: int) -> Memory:
    return replace(memory, objects=tuple(sorted(set(memory.objects))), revision=revision, missing=())


def _put(
    graph: WorkspaceGraph,
    draft: Draft,
    memories: Sequence[Memory],
    *,
    vectors: Mapping[str, Vector] = MappingProxyType({}),
    leaving: Collection[str] = (),
) -> None:
    """Put memories with their intents, and these with their vectors, into the draft, which is to drop `leaving`."""
    intents = {memory.intent_id: memory.intent for memory in memories}
    for memory in memories:
        draft.put(MEMORY, memory.id, memory)
    for intent_id, text in intents.items():
        vector = vectors.get(intent_id)
        fresh = vector is not None and not graph.intent_vectors.holds(intent_id, vector)
        if fresh or graph.intents.get(intent_id) != text:
            draft.put(INTENT, intent_id, text)
        if fresh:
            draft.put(INTENT_VECTOR, intent_id, vector)
    there = graph.memories
    moving = {it.id for it in memories if it.id in there and there[it.id].intent_id != it.intent_id}
    orphans = _drop_orphans(graph, draft, moving.union(leaving), needed=intents)
    if memories:
        draft.move(removal=orphans)


def _drop_orphans(graph: WorkspaceGraph, draft: Draft, leaving: set[str], *, needed: Container[str] = ()) -> bool:
    """Drop the intents, other than the needed, that only leaving memories have. Returns whether there were any."""
    touched = sorted({graph.memories[key].intent_id for key in leaving if graph.memories[key].intent_id not in needed})
    orphans = [key for key in touched if leaving.issuperset(graph.memories_of_intent(key))]
    draft.drop(INTENT, orphans)
    draft.drop(INTENT_VECTOR, (key for key in orphans if graph.intent_vectors.has(key)))
    return bool(orphans)
