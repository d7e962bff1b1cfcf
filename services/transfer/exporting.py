"""A store's graph as rows, page by page: memory holds one page and the ids of a workspace's intents.

The order is that of the form (`rows`), whatever the store.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice
from operator import attrgetter
from typing import Any, TypeVar

from graph.catalogue import DataObject, ObjectKind
from graph.chunks import Chunk, Tombstone
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
        for objects in _object_pages(store, name, kind=only):
            vectors = embeddings_by_id(store.show_embeddings(name, [it.id for it in objects], of="objects"))
            yield from (kind.row(it, embedding=vectors.get(it.id)) for it in objects)
    for objects in _object_pages(store, name, kind=None):
        page = {it.id for it in objects}
        for start, end in store.list_references(name, sorted(page)):
            if start in page:
                yield kinds.REFERENCE.row(ReferenceRow(start=start, end=end))
    for memories in _pages(lambda after: store.list_memories(name, after=after, limit=PAGE)):
        yield from map(kinds.MEMORY.row, memories)
    intents = store.list_ids(name).intents
    for place in range(0, len(intents), PAGE):
        own = intents[place : place + PAGE]
        vectors = embeddings_by_id(store.show_embeddings(name, own, of="intents"))
        yield from (kinds.INTENT.row(IntentRow(id=key), embedding=vectors[key]) for key in own if key in vectors)
    yield from map(kinds.TRUST.row, store.list_trust(name))


def _session_rows(store: Store, workspace: str) -> Iterator[Row[Any]]:
    sessions = _pages(lambda after: store.list_sessions(workspace, after=after, limit=PAGE))
    for it in chain.from_iterable(sessions):
        yield kinds.SESSION.row(SessionRow(id=it.id, created_at=it.created_at, added=it.added))
        for chunks in _chunk_pages(store, workspace, it.id):
            vectors = embeddings_by_id(store.show_chunk_embeddings(workspace, it.id, ids=[each.id for each in chunks]))
            yield from (kinds.CHUNK.row(each, session=it.id, embedding=vectors.get(each.id)) for each in chunks)
        for chunks in _chunk_pages(store, workspace, it.id):
            premises = store.list_premises(workspace, it.id, [each.id for each in chunks])
            yield from (kinds.PREMISE.row(each, session=it.id) for each in premises)
        yield from (kinds.TOMBSTONE.row(each, session=it.id) for each in _tombstones(store, workspace, it.id))


def _pages(
    page_after: Callable[[Any], Sequence[T]], *, key: Callable[[T], Any] = attrgetter("id"), start: object = None
) -> Iterator[Sequence[T]]:
    """Page after page, each after the key of the last item of the page before."""
    after = start
    while page := page_after(after):
        yield page
        after = key(page[-1])


def _object_pages(store: Store, workspace: str, *, kind: ObjectKind | None) -> Iterator[Sequence[DataObject]]:
    return _pages(lambda after: store.list_objects(workspace, kind=kind, gone=None, after=after, limit=PAGE))


def _tombstones(store: Store, workspace: str, session: str) -> Iterator[Tombstone]:
    pages = _pages(
        lambda after: store.list_tombstones(workspace, session, after=after, limit=PAGE), key=attrgetter("chunk")
    )
    return chain.from_iterable(pages)


def _chunk_pages(store: Store, workspace: str, session: str) -> Iterator[list[Chunk]]:
    """Live and archived ones, a page at a time, by position."""

    def each(*, archived: bool) -> Iterator[Chunk]:
        pages = _pages(
            lambda after: store.list_chunks(workspace, session, archived=archived, after=after, limit=PAGE),
            key=attrgetter("position"),
            start=-1,
        )
        return chain.from_iterable(pages)

    both = merge(each(archived=False), each(archived=True), key=lambda it: it.position)
    while page := list(islice(both, PAGE)):
        yield page
