"""Tables, attributes and references in the embedded store."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from graph import plain
from graph.catalogue import (
    REACH,
    CatalogueSaved,
    DataObject,
    JoinPath,
    Joint,
    ObjectKind,
    ObjectsRemoved,
    Reference,
    first_paths,
)
from graph.embedded.evidence import EXPECTATION
from graph.embedded.kinds import Change, Kind, Vector, form_kind, key_of, parts_of
from graph.embedded.memory_columns import KeptExpectation
from graph.embedded.transactions import Core
from graph.embedded.vectors import checked
from graph.embedded.workspace_graph import WorkspaceGraph, object_node
from graph.embeddings import Embeddings
from graph.errors import StaleStamp, UnknownObjects
from graph.evidence import EXPECTED_LIMIT
from graph.workspaces import Stamp


def _apply_object(graph: WorkspaceGraph, change: Change) -> None:
    old: DataObject | None = graph.objects.get(change.id)
    new: DataObject | None = change.value
    if old is not None and not old.gone:
        graph.live[old.kind] -= 1
    if old is not None and old.table is not None and (new is None or new.table != old.table):
        graph.unlink(object_node(old.table), object_node(change.id), "HAS_ATTRIBUTE")
    if new is None:
        _drop_object(graph, change.id)
    else:
        _put_object(graph, new, known=old is not None)
        graph.object_log.write(change.id, change.version)
    if graph.memories and (old is not None and not old.gone) != (new is not None and not new.gone):
        graph.revise_memories(change.id)


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
    graph.prune(object_node(object_id))


def _apply_reference(graph: WorkspaceGraph, change: Change) -> None:
    start, end = parts_of(change.id)
    there = graph.has_reference((start, end))
    if change.value is None and there:
        graph.unlink(object_node(start), object_node(end), "REFERENCES")
        graph.references.discard([(start, end)])
    elif change.value is not None and not there:
        graph.edges.add_edge(object_node(start), object_node(end), key="REFERENCES")
        graph.references.add((start, end))


OBJECT = form_kind(plain.OBJECT, "id", number=2, name="object", apply=_apply_object)
OBJECT_VECTOR = Kind(number=3, name="object vector", apply=lambda graph, change: graph.object_vectors.apply(change))
REFERENCE = Kind(
    number=4,
    name="reference",
    apply=_apply_reference,
    encode=lambda _: True,  # its id says it all
    decode=lambda record_id, _: parts_of(record_id),
)


class CatalogueOperations(Core):
    """See `graph.catalogue.Catalogue`."""

    def save_objects(
        self,
        workspace: str,
        objects: Sequence[DataObject],
        *,
        references: Sequence[Reference] = (),
        dropped_references: Sequence[Reference] = (),
        gone: Sequence[str] = (),
        embeddings: Embeddings | None = None,
    ) -> CatalogueSaved:
        with self._writing(workspace) as (graph, draft):
            live = {it.id: replace(it, gone=False) if it.gone else it for it in objects}
            _check_known(graph, live, references=references, gone=gone)
            leaving = {key: replace(live.get(key) or graph.objects[key], gone=True) for key in gone}
            given = checked(embeddings, graph.object_vectors)
            fresh = {key for key in live.keys() & given.keys() if not graph.object_vectors.holds(key, given[key])}
            written = {
                key: it
                for key, it in (live | leaving).items()
                if key in fresh or (old := graph.objects.get(key)) != it or old.folded != it.folded
            }
            for key, it in written.items():
                draft.put(OBJECT, key, it)
            for key in sorted(fresh):
                draft.put(OBJECT_VECTOR, key, given[key])
            draft.drop(OBJECT_VECTOR, _outdated(graph, written, given))
            added = dict.fromkeys(it for it in references if not graph.has_reference(it))
            for reference in added:
                draft.put(REFERENCE, key_of(*reference), reference)
            dropped = {it for it in dropped_references if graph.has_reference(it)} - set(references)
            draft.drop(REFERENCE, (key_of(*it) for it in sorted(dropped)))
            suspended, restored = _turned(graph, {key: not it.gone for key, it in written.items()})
            if not draft.is_empty:
                draft.move(catalogue=True)
            return CatalogueSaved(stamp=draft.stamp, suspended=suspended, restored=restored)

    def show_objects(self, workspace: str, ids: Sequence[str]) -> tuple[DataObject, ...]:
        with self._reading(workspace) as graph:
            return tuple(graph.objects[key] for key in sorted(set(ids)) if key in graph.objects)

    def list_objects(
        self,
        workspace: str,
        *,
        kind: ObjectKind | None = None,
        containing: Sequence[str] = (),
        tables: Sequence[str] | None = None,
        source: str | None = None,
        gone: bool | None = False,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[DataObject, ...]:
        with self._reading(workspace) as graph:
            found = (
                it
                for it in _candidates(graph, tables, after=after)
                if (gone is None or it.gone == gone)
                and kind in (None, it.kind)
                and source in (None, it.source)
                and all(part in it.folded for part in containing)
            )
            return tuple(islice(found, limit))

    def list_references(self, workspace: str, ids: Sequence[str]) -> tuple[Reference, ...]:
        with self._reading(workspace) as graph:
            return tuple(sorted({reference for key in set(ids) for reference in graph.references_of(key)}))

    def join_paths(self, workspace: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
        with self._reading(workspace) as graph:
            return first_paths(tables, _joints_near(graph, list(dict.fromkeys(tables))))

    def remove_objects(self, workspace: str, ids: Sequence[str], *, stamp: Stamp | None = None) -> ObjectsRemoved:
        with self._writing(workspace) as (graph, draft):
            if stamp is not None and not graph.stamp.has_catalogue_of(stamp):
                raise StaleStamp(workspace)
            named = {key for key in ids if key in graph.objects}
            leaving = sorted(named.union(*(graph.attributes_of(key) for key in named)))
            if not leaving:
                return ObjectsRemoved(ids=())
            draft.drop(OBJECT, leaving)
            draft.drop(OBJECT_VECTOR, (key for key in leaving if graph.object_vectors.has(key)))
            references = {reference for key in leaving for reference in graph.references_of(key)}
            draft.drop(REFERENCE, (key_of(*reference) for reference in sorted(references)))
            for key, kept in _without(graph.expectations, set(leaving)):
                draft.put(EXPECTATION, key, kept)
            suspended, _ = _turned(graph, dict.fromkeys(leaving, False))
            draft.move(catalogue=True, removal=True)
            return ObjectsRemoved(ids=tuple(leaving), suspended=suspended)


def _check_known(
    graph: WorkspaceGraph, objects: dict[str, DataObject], *, references: Sequence[Reference], gone: Sequence[str]
) -> None:
    named = {it.table for it in objects.values() if it.table is not None}
    named.update(end for reference in references for end in reference)
    if unknown := named.union(gone) - objects.keys() - graph.objects.keys():
        raise UnknownObjects(graph.name, tuple(sorted(unknown)))


def _outdated(graph: WorkspaceGraph, written: dict[str, DataObject], given: dict[str, Vector]) -> list[str]:
    """Those whose embedding is of another text than they have now, without a new one given."""
    return [
        key
        for key, it in written.items()
        if key not in given and graph.object_vectors.has(key) and _text(it) != _text(graph.objects[key])
    ]


def _text(it: DataObject) -> tuple[str | None, str, str]:
    return it.table, it.name, it.description


def _turned(graph: WorkspaceGraph, live_after: dict[str, bool]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The memories that are suspended, and those restored, when these objects are live or not."""
    turning = [key for key, live in live_after.items() if live != graph.is_live(key)]
    touched = {memory for key in turning for memory in graph.memories_of_object(key)}
    suspended: list[str] = []
    restored: list[str] = []
    for memory in sorted(touched):
        before = graph.memories[memory]
        after = graph.with_missing(before, live=lambda key: live_after.get(key, graph.is_live(key)))
        if after.suspended != before.suspended:
            (suspended if after.suspended else restored).append(memory)
    return tuple(suspended), tuple(restored)


def _without(expectations: dict[str, KeptExpectation], leaving: set[str]) -> Iterator[tuple[str, KeptExpectation]]:
    """The expectations that name some of these objects, with the other ones that people can see. The catalogue moves
    on, so that no answer reads them any more."""
    for memory, kept in expectations.items():
        it = kept.expectation
        if not leaving.isdisjoint(it.objects):
            shown = islice(zip(it.objects, it.scores, strict=True), EXPECTED_LIMIT)
            rest = [pair for pair in shown if pair[0] not in leaving]
            objects, scores = tuple(key for key, _ in rest), tuple(score for _, score in rest)
            yield memory, replace(kept, expectation=replace(it, objects=objects, scores=scores))


def _candidates(graph: WorkspaceGraph, tables: Sequence[str] | None, *, after: str | None) -> Iterable[DataObject]:
    if tables is None:
        return (graph.objects[key] for key in graph.object_ids.after(after))
    keys = {key for table in tables for key in graph.attributes_of(table)}
    return (graph.objects[key] for key in sorted(keys) if after is None or key > after)


def _joints_near(graph: WorkspaceGraph, tables: Sequence[str]) -> Iterator[Joint]:
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
