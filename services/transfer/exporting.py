"""A store's graph as rows, page by page: memory holds one page and the ids of a workspace's intents.

The order is that of the form (`rows`), whatever the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Literal

from graph.catalogue import DataObject
from graph.chunks import Chunk
from graph.embeddings import Embeddings
from graph.sessions import Session
from graph.store import Store
from graph.workspaces import Workspace
from services.transfer.reports import ExportReport, Progress
from services.transfer.rows import (
    ChunkRow,
    Embedding,
    EndRow,
    IntentRow,
    MemoryRow,
    ObjectRow,
    PremiseRow,
    ReferenceRow,
    Row,
    SessionRow,
    TombstoneRow,
    TrustRow,
    WorkspaceRow,
)
from services.transfer.writing import header_line, row_line

PAGE = 1_000


def export_graph(
    store: Store,
    write: Callable[[bytes], object],
    *,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> ExportReport:
    """Writes all workspaces, or `only` these (`UnknownWorkspace` where there is none of a name), line by line."""
    chosen = store.list_workspaces() if only is None else [store.show_workspace(name) for name in sorted(set(only))]
    write(header_line())
    rows = 0
    moved = []
    for workspace in chosen:
        before = store.show_stamp(workspace.name)
        for row in _rows(store, workspace):
            write(row_line(row))
            rows += 1
            if progress is not None and not rows % PAGE:
                progress(rows, None)
        if store.show_stamp(workspace.name) != before:
            moved.append(workspace.name)
    write(row_line(EndRow(rows=rows)))
    return ExportReport(workspaces=tuple(it.name for it in chosen), rows=rows, moved=tuple(moved))


def embeddings_by_id(found: Iterable[Embeddings]) -> dict[str, Embedding]:
    return {
        key: Embedding(model=each.model, vector=vector)
        for each in found
        for key, vector in zip(each.ids, each.matrix, strict=True)
    }


def _rows(store: Store, workspace: Workspace) -> Iterator[Row]:
    name = workspace.name
    yield WorkspaceRow(name=name, created_at=workspace.created_at)
    for kind in ("table", "attribute"):
        for objects in _object_pages(store, name, kind=kind):
            vectors = embeddings_by_id(store.show_embeddings(name, [it.id for it in objects], of="objects"))
            yield from (ObjectRow(item=it, embedding=vectors.get(it.id)) for it in objects)
    for objects in _object_pages(store, name, kind=None):
        page = {it.id for it in objects}
        references = store.list_references(name, sorted(page))
        yield from (ReferenceRow(reference=it) for it in references if it[0] in page)
    after: str | None = None
    while memories := store.list_memories(name, after=after, limit=PAGE):
        yield from (MemoryRow(memory=it) for it in memories)
        after = memories[-1].id
    intents = store.list_ids(name).intents
    for start in range(0, len(intents), PAGE):
        own = intents[start : start + PAGE]
        vectors = embeddings_by_id(store.show_embeddings(name, own, of="intents"))
        yield from (IntentRow(id=key, embedding=vectors[key]) for key in own if key in vectors)
    yield from (TrustRow(trust=it) for it in store.list_trust(name))
    for session in _sessions(store, name):
        yield SessionRow(id=session.id, created_at=session.created_at, added=session.added)
        for chunks in _chunk_pages(store, name, session.id):
            ids = [it.id for it in chunks]
            vectors = embeddings_by_id(store.show_chunk_embeddings(name, session.id, ids=ids))
            yield from (ChunkRow(session=session.id, chunk=it, embedding=vectors.get(it.id)) for it in chunks)
        for chunks in _chunk_pages(store, name, session.id):
            premises = store.list_premises(name, session.id, [it.id for it in chunks])
            yield from (PremiseRow(session=session.id, premise=it) for it in premises)
        after = None
        while stones := store.list_tombstones(name, session.id, after=after, limit=PAGE):
            yield from (TombstoneRow(session=session.id, tombstone=it) for it in stones)
            after = stones[-1].chunk


def _sessions(store: Store, workspace: str) -> Iterator[Session]:
    after: str | None = None
    while page := store.list_sessions(workspace, after=after, limit=PAGE):
        yield from page
        after = page[-1].id


def _chunk_pages(store: Store, workspace: str, session: str) -> Iterator[list[Chunk]]:
    """Live and archived ones, a page at a time, by position."""

    def each(*, archived: bool) -> Iterator[Chunk]:
        after = -1
        while page := store.list_chunks(workspace, session, archived=archived, after=after, limit=PAGE):
            yield from page
            after = page[-1].position

    both = merge(each(archived=False), each(archived=True), key=lambda it: it.position)
    while page := list(islice(both, PAGE)):
        yield page


def _object_pages(
    store: Store, workspace: str, *, kind: Literal["table", "attribute"] | None
) -> Iterator[tuple[DataObject, ...]]:
    after: str | None = None
    while page := store.list_objects(workspace, kind=kind, gone=None, after=after, limit=PAGE):
        yield page
        after = page[-1].id
