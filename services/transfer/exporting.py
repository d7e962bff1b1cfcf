"""A store's graph as rows, page by page: memory holds one page and the ids of a workspace's intents.

The order is that of the form (`rows`), whatever the store.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import chain, islice
from operator import attrgetter
from typing import Any, TypeVar

from graph.catalogue import DataObject, ObjectKind
from graph.chunks import Chunk
from graph.embeddings import Embeddings
from graph.store import Store
from graph.workspaces import Workspace
from services.transfer import rows as kinds
from services.transfer.lines import header_line, row_line
from services.transfer.rows import Embedding, EndRow, IntentRow, ReferenceRow, Row, RowKind, SessionRow, WorkspaceRow

T = TypeVar("T")

Progress = Callable[[int, int | None], None]

PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """`rows` counts the lines between the first and the last one. `moved` are workspaces that were written to
    meanwhile: their rows are not of one moment."""

    workspaces: tuple[str, ...]
    rows: int
    moved: tuple[str, ...] = ()


def export_graph(
    store: Store,
    write: Callable[[bytes], object],
    *,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> ExportReport:
    """Write all workspaces, or `only` these, line by line. Raises `UnknownWorkspace`."""
    chosen = store.list_workspaces() if only is None else [store.show_workspace(name) for name in sorted(set(only))]
    write(header_line())
    count = 0
    moved = []
    for workspace in chosen:
        before = store.show_stamp(workspace.name)
        for row in chain(_catalogue_rows(store, workspace), _session_rows(store, workspace.name)):
            write(row_line(row))
            count += 1
            if progress is not None and not count % PAGE:
                progress(count, None)
        if store.show_stamp(workspace.name) != before:
            moved.append(workspace.name)
    write(row_line(kinds.END.row(EndRow(rows=count))))
    return ExportReport(workspaces=tuple(it.name for it in chosen), rows=count, moved=tuple(moved))


def embeddings_by_id(found: Iterable[Embeddings]) -> dict[str, Embedding]:
    return {
        key: Embedding(model=each.model, vector=vector)
        for each in found
        for key, vector in zip(each.ids, each.matrix, strict=True)
    }


def _catalogue_rows(store: Store, workspace: Workspace) -> Iterator[Row[Any]]:
    """The workspace itself, its catalogue, memories and trust."""
    name = workspace.name
    yield kinds.WORKSPACE.row(WorkspaceRow(name=name, created_at=workspace.created_at))
    named: tuple[tuple[ObjectKind, RowKind[DataObject]], ...] = (("table", kinds.TABLE), ("attribute", kinds.ATTRIBUTE))
    for only, kind in named:
        for objects in _paged(_objects(store, name, kind=only)):
            vectors = embeddings_by_id(store.show_embeddings(name, [it.id for it in objects], of="objects"))
            yield from (kind.row(it, embedding=vectors.get(it.id)) for it in objects)
    for objects in _paged(_objects(store, name, kind=None)):
        page = {it.id for it in objects}
        for start, end in store.list_references(name, sorted(page)):
            if start in page:
                yield kinds.REFERENCE.row(ReferenceRow(start=start, end=end))
    yield from map(kinds.MEMORY.row, _each(partial(store.list_memories, name, limit=PAGE)))
    for own in _paged(iter(store.list_ids(name).intents)):
        vectors = embeddings_by_id(store.show_embeddings(name, own, of="intents"))
        yield from (kinds.INTENT.row(IntentRow(id=key), embedding=vectors[key]) for key in own if key in vectors)
    yield from map(kinds.TRUST.row, store.list_trust(name))


def _session_rows(store: Store, workspace: str) -> Iterator[Row[Any]]:
    for it in _each(partial(store.list_sessions, workspace, limit=PAGE)):
        yield kinds.SESSION.row(SessionRow(id=it.id, created_at=it.created_at, added=it.added))
        for chunks in _paged(_chunks(store, workspace, it.id)):
            vectors = embeddings_by_id(store.show_chunk_embeddings(workspace, it.id, ids=[each.id for each in chunks]))
            yield from (kinds.CHUNK.row(each, session=it.id, embedding=vectors.get(each.id)) for each in chunks)
        for chunks in _paged(_chunks(store, workspace, it.id)):
            premises = store.list_premises(workspace, it.id, [each.id for each in chunks])
            yield from (kinds.PREMISE.row(each, session=it.id) for each in premises)
        tombstones = _each(partial(store.list_tombstones, workspace, it.id, limit=PAGE), by="chunk")
        yield from (kinds.TOMBSTONE.row(each, session=it.id) for each in tombstones)


def _objects(store: Store, workspace: str, *, kind: ObjectKind | None) -> Iterator[DataObject]:
    return _each(partial(store.list_objects, workspace, kind=kind, gone=None, limit=PAGE))


def _chunks(store: Store, workspace: str, session: str) -> Iterator[Chunk]:
    """Live and archived ones, by position."""
    live, archived = (
        _each(partial(store.list_chunks, workspace, session, archived=kept, limit=PAGE), by="position", start=-1)
        for kept in (False, True)
    )
    return merge(live, archived, key=attrgetter("position"))


def _each(fetch: Callable[..., Sequence[T]], *, by: str = "id", start: object = None) -> Iterator[T]:
    """The items of a listing, read page after page, each `after` the attribute `by` of the last item before."""
    after = start
    while page := fetch(after=after):
        yield from page
        after = getattr(page[-1], by)


def _paged(items: Iterator[T]) -> Iterator[list[T]]:
    while page := list(islice(items, PAGE)):
        yield page
