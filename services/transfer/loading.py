"""A batch of rows of one kind into a workspace: rows that are stored already are only read, the rest is written.

Each batch is one transaction of the store, but for embeddings of further models, which follow in their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from graph.catalogue import DataObject
from graph.chunks import Chunk, Tombstone
from graph.embeddings import Embeddings
from graph.errors import UnknownSession
from graph.feedback import Trust
from graph.memories import Memory
from graph.premises import Premise
from graph.store import Store
from services.transfer import rows as kinds
from services.transfer.exporting import embeddings_by_id
from services.transfer.rows import Embedding, IntentRow, ReferenceRow, Row, RowKind, SessionRow
from services.words import fold, full_text

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """How many rows were not in the store, differed from it, were the same; and, by place, why some were refused."""

    imported: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: tuple[tuple[int, str], ...] = ()

    def __add__(self, other: Loaded) -> Loaded:
        return Loaded(
            imported=self.imported + other.imported,
            updated=self.updated + other.updated,
            unchanged=self.unchanged + other.unchanged,
        )


def load_objects(store: Store, workspace: str, rows: Sequence[Row[DataObject]]) -> Loaded:
    """Keep an embedding that the file does not have, unless the text is another now."""
    stored = {it.id: it for it in store.show_objects(workspace, [row.value.id for row in rows])}
    embedded = [row.value.id for row in rows if row.embedding is not None and row.value.id in stored]
    vectors = embeddings_by_id(store.show_embeddings(workspace, embedded, of="objects")) if embedded else {}
    embeds = _other_embeddings(rows, vectors)
    differing = [row.value for row in rows if row.value != stored.get(row.value.id) or row.value.id in embeds]
    written = [it for it in differing if it.id in embeds or not _is_just_leaving(it, stored.get(it.id))]
    by_model = _by_model(embeds)
    if differing:
        store.save_objects(
            workspace,
            _folded(store, workspace, written),
            gone=[it.id for it in differing if it.gone],
            embeddings=by_model[0] if by_model else None,
        )
    for each in by_model[1:]:
        store.save_embeddings(workspace, each, of="objects")
    return _loaded(rows=len(rows), differing=len(differing), there=sum(it.id in stored for it in differing))


def load_references(store: Store, workspace: str, rows: Sequence[Row[ReferenceRow]]) -> Loaded:
    stored = {ends: ends for ends in store.list_references(workspace, [row.value.start for row in rows])}
    return _load_differing(
        {row.value.ends: row.value.ends for row in rows},
        stored,
        lambda differing: store.save_objects(workspace, [], references=differing),
    )


def load_memories(store: Store, workspace: str, rows: Sequence[Row[Memory]]) -> Loaded:
    given = {row.value.id: row.value for row in rows}
    stored = {it.id: replace(it, missing=()) for it in store.show_memories(workspace, list(given))}
    return _load_differing(given, stored, lambda differing: store.load_memories(workspace, differing))


def load_intents(store: Store, workspace: str, rows: Sequence[Row[IntentRow]]) -> Loaded:
    """Read the embeddings again afterwards: a store keeps none of an intent that no memory has."""
    ids = [row.value.id for row in rows]
    stored = embeddings_by_id(store.show_embeddings(workspace, ids, of="intents"))
    embeds = _other_embeddings(rows, stored)
    for each in _by_model(embeds):
        store.save_embeddings(workspace, each, of="intents")
    kept = embeddings_by_id(store.show_embeddings(workspace, list(embeds), of="intents")) if embeds else {}
    refused = [place for place, key in enumerate(ids) if key in embeds and key not in kept]
    counted = _loaded(
        rows=len(rows) - len(refused), differing=len(embeds) - len(refused), there=sum(key in stored for key in embeds)
    )
    return replace(counted, refused=tuple((place, "no memory has this intent") for place in refused))


def load_trust(store: Store, workspace: str, rows: Sequence[Row[Trust]]) -> Loaded:
    stored = {it.rule: it for it in store.list_trust(workspace)}
    given = {row.value.rule: row.value for row in rows}
    return _load_differing(given, stored, lambda differing: store.load_trust(workspace, differing))


def load_sessions(store: Store, workspace: str, rows: Sequence[Row[SessionRow]]) -> Loaded:
    """Leave a session that is there what it has; it counts as made at the earlier instant of both."""
    done = Loaded()
    for it in (row.value for row in rows):
        try:
            before = store.show_session(workspace, it.id)
        except UnknownSession:
            store.save_session(workspace, it.id, incarnation=uuid4().hex, at=it.created_at, added=it.added)
            done += Loaded(imported=1)
        else:
            after, _ = store.save_session(
                workspace, it.id, incarnation=before.incarnation, at=it.created_at, added=it.added
            )
            done += Loaded(unchanged=1) if after == before else Loaded(updated=1)
    return done


def load_chunks(store: Store, workspace: str, rows: Sequence[Row[Chunk]]) -> Loaded:
    def load(session: str, own: Sequence[Row[Chunk]]) -> tuple[int, int]:
        made, changed = store.load_chunks(workspace, session, [row.value for row in own])
        embedded = [row.value.id for row in own if row.embedding is not None]
        vectors = embeddings_by_id(store.show_chunk_embeddings(workspace, session, ids=embedded)) if embedded else {}
        embeds = _other_embeddings(own, vectors)
        for each in _by_model(embeds):
            store.save_chunk_embeddings(workspace, session, each)
        return made, changed if made + changed else len(embeds)

    return _load_by_session(rows, load)


def load_premises(store: Store, workspace: str, rows: Sequence[Row[Premise]]) -> Loaded:
    return _load_by_session(
        rows, lambda session, own: store.load_premises(workspace, session, [row.value for row in own])
    )


def load_tombstones(store: Store, workspace: str, rows: Sequence[Row[Tombstone]]) -> Loaded:
    return _load_by_session(
        rows, lambda session, own: store.load_chunks(workspace, session, [], tombstones=[row.value for row in own])
    )


LOADERS: dict[RowKind[Any], Callable[[Store, str, Sequence[Row[Any]]], Loaded]] = {
    kinds.TABLE: load_objects,
    kinds.ATTRIBUTE: load_objects,
    kinds.REFERENCE: load_references,
    kinds.MEMORY: load_memories,
    kinds.INTENT: load_intents,
    kinds.TRUST: load_trust,
    kinds.SESSION: load_sessions,
    kinds.CHUNK: load_chunks,
    kinds.PREMISE: load_premises,
    kinds.TOMBSTONE: load_tombstones,
}


def _load_differing(given: Mapping[K, T], stored: Mapping[K, T], load: Callable[[Sequence[T]], object]) -> Loaded:
    """Load the given values that are not stored already."""
    differing = {key: it for key, it in given.items() if stored.get(key) != it}
    if differing:
        load(list(differing.values()))
    return _loaded(rows=len(given), differing=len(differing), there=len(differing.keys() & stored.keys()))


def _load_by_session(rows: Sequence[Row[T]], load: Callable[[str, Sequence[Row[T]]], tuple[int, int]]) -> Loaded:
    """Load the rows of one session after another; `load` returns how many were new, and how many differed."""
    by_session: dict[str, list[Row[T]]] = {}
    for row in rows:
        by_session.setdefault(row.session or "", []).append(row)
    done = Loaded()
    for session, own in by_session.items():
        made, changed = load(session, own)
        done += Loaded(imported=made, updated=changed, unchanged=len(own) - made - changed)
    return done


def _loaded(*, rows: int, differing: int, there: int) -> Loaded:
    return Loaded(imported=differing - there, updated=there, unchanged=rows - differing)


def _is_just_leaving(it: DataObject, stored: DataObject | None) -> bool:
    """Whether it is to be marked as gone, and is otherwise as it is to be."""
    return it.gone and stored is not None and replace(stored, gone=True) == it


def _folded(store: Store, workspace: str, items: Sequence[DataObject]) -> list[DataObject]:
    """Add the text that people's search looks at, which names an attribute's table too."""
    names = {it.id: it.name for it in items if it.kind == "table"}
    elsewhere = {it.table for it in items if it.table is not None} - names.keys()
    if elsewhere:
        names |= {it.id: it.name for it in store.show_objects(workspace, sorted(elsewhere))}
    return [replace(it, folded=fold(full_text(it, names.get(it.table or "")))) for it in items]


def _other_embeddings(rows: Sequence[Row[Any]], stored: Mapping[str, Embedding]) -> dict[str, Embedding]:
    """By id, the embeddings of the rows that are not stored bit for bit."""
    return {
        row.value.id: row.embedding
        for row in rows
        if row.embedding is not None and not row.embedding.is_same(stored.get(row.value.id))
    }


def _by_model(embeddings: Mapping[str, Embedding]) -> list[Embeddings]:
    """One value a model and width: vectors of two widths under one name are for the store to refuse."""
    grouped: dict[tuple[str, int], list[str]] = {}
    for key, it in embeddings.items():
        grouped.setdefault((it.model, len(it.vector)), []).append(key)
    return [
        Embeddings(model=model, ids=tuple(ids), matrix=np.stack([embeddings[key].vector for key in ids]))
        for (model, _), ids in sorted(grouped.items())
    ]
