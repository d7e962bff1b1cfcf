"""A batch of rows of one kind into a workspace: what is there just so is only read, the rest is written.

Each batch is one transaction of the store, but for embeddings of further models, which follow in their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import uuid4

import numpy as np

from graph.catalogue import DataObject
from graph.embeddings import Embeddings
from graph.errors import UnknownSession
from graph.store import Store
from services.transfer.exporting import embeddings_by_id
from services.transfer.rows import (
    ChunkRow,
    Embedding,
    IntentRow,
    MemoryRow,
    ObjectRow,
    PremiseRow,
    ReferenceRow,
    SessionRow,
    TombstoneRow,
    TrustRow,
)
from services.words import fold, full_text

OfSession = TypeVar("OfSession", ChunkRow, PremiseRow, TombstoneRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What came of rows: how many were not there, were other, were just so; and, by place, those that were refused."""

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


def load_objects(store: Store, workspace: str, rows: Sequence[ObjectRow]) -> Loaded:
    """An embedding that the file does not have leaves one that is there, unless the text is another now."""
    stored = {it.id: it for it in store.show_objects(workspace, [row.item.id for row in rows])}
    embedded = [row.item.id for row in rows if row.embedding is not None and row.item.id in stored]
    vectors = embeddings_by_id(store.show_embeddings(workspace, embedded, of="objects")) if embedded else {}
    embeds = {
        row.item.id: row.embedding
        for row in rows
        if row.embedding is not None and not row.embedding.is_same(vectors.get(row.item.id))
    }
    differing = [row.item for row in rows if row.item != stored.get(row.item.id) or row.item.id in embeds]
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


def load_references(store: Store, workspace: str, rows: Sequence[ReferenceRow]) -> Loaded:
    stored = set(store.list_references(workspace, [row.reference[0] for row in rows]))
    missing = [row.reference for row in rows if row.reference not in stored]
    if missing:
        store.save_objects(workspace, [], references=missing)
    return _loaded(rows=len(rows), differing=len(missing), there=0)


def load_memories(store: Store, workspace: str, rows: Sequence[MemoryRow]) -> Loaded:
    stored = {it.id: it for it in store.show_memories(workspace, [row.memory.id for row in rows])}
    differing = [
        row.memory
        for row in rows
        if (known := stored.get(row.memory.id)) is None or replace(known, missing=()) != row.memory
    ]
    if differing:
        store.load_memories(workspace, differing)
    return _loaded(rows=len(rows), differing=len(differing), there=sum(it.id in stored for it in differing))


def load_intents(store: Store, workspace: str, rows: Sequence[IntentRow]) -> Loaded:
    """Looked at again afterwards: a store keeps no embedding of an intent that no memory has."""
    stored = embeddings_by_id(store.show_embeddings(workspace, [row.id for row in rows], of="intents"))
    embeds = {row.id: row.embedding for row in rows if not row.embedding.is_same(stored.get(row.id))}
    for each in _by_model(embeds):
        store.save_embeddings(workspace, each, of="intents")
    kept = embeddings_by_id(store.show_embeddings(workspace, list(embeds), of="intents")) if embeds else {}
    refused = [place for place, row in enumerate(rows) if row.id in embeds and row.id not in kept]
    counted = _loaded(
        rows=len(rows) - len(refused), differing=len(embeds) - len(refused), there=sum(key in stored for key in embeds)
    )
    return replace(counted, refused=tuple((place, "no memory has this intent") for place in refused))


def load_trust(store: Store, workspace: str, rows: Sequence[TrustRow]) -> Loaded:
    stored = {it.rule: it for it in store.list_trust(workspace)}
    differing = [row.trust for row in rows if stored.get(row.trust.rule) != row.trust]
    if differing:
        store.load_trust(workspace, differing)
    return _loaded(rows=len(rows), differing=len(differing), there=sum(it.rule in stored for it in differing))


def load_sessions(store: Store, workspace: str, rows: Sequence[SessionRow]) -> Loaded:
    """One that is there keeps what it has; it counts as made at the earlier instant of both."""
    done = Loaded()
    for row in rows:
        try:
            before = store.show_session(workspace, row.id)
        except UnknownSession:
            store.save_session(workspace, row.id, incarnation=uuid4().hex, at=row.created_at, added=row.added)
            done += Loaded(imported=1)
        else:
            after, _ = store.save_session(
                workspace, row.id, incarnation=before.incarnation, at=row.created_at, added=row.added
            )
            done += Loaded(unchanged=1) if after == before else Loaded(updated=1)
    return done


def load_chunks(store: Store, workspace: str, rows: Sequence[ChunkRow]) -> Loaded:
    done = Loaded()
    for session, own in _by_session(rows):
        made, changed = store.load_chunks(workspace, session, [row.chunk for row in own])
        embeds = {row.chunk.id: row.embedding for row in own if row.embedding is not None}
        vectors = embeddings_by_id(store.show_chunk_embeddings(workspace, session, ids=list(embeds))) if embeds else {}
        other = {key: it for key, it in embeds.items() if not it.is_same(vectors.get(key))}
        for each in _by_model(other):
            store.save_chunk_embeddings(workspace, session, each)
        if not made + changed:
            changed = len(other)
        done += Loaded(imported=made, updated=changed, unchanged=len(own) - made - changed)
    return done


def load_premises(store: Store, workspace: str, rows: Sequence[PremiseRow]) -> Loaded:
    done = Loaded()
    for session, own in _by_session(rows):
        made, changed = store.load_premises(workspace, session, [row.premise for row in own])
        done += Loaded(imported=made, updated=changed, unchanged=len(own) - made - changed)
    return done


def load_tombstones(store: Store, workspace: str, rows: Sequence[TombstoneRow]) -> Loaded:
    done = Loaded()
    for session, own in _by_session(rows):
        made, changed = store.load_chunks(workspace, session, [], tombstones=[row.tombstone for row in own])
        done += Loaded(imported=made, updated=changed, unchanged=len(own) - made - changed)
    return done


def _by_session(rows: Sequence[OfSession]) -> list[tuple[str, list[OfSession]]]:
    grouped: dict[str, list[OfSession]] = {}
    for row in rows:
        grouped.setdefault(row.session, []).append(row)
    return list(grouped.items())


def _loaded(*, rows: int, differing: int, there: int) -> Loaded:
    return Loaded(imported=differing - there, updated=there, unchanged=rows - differing)


def _is_just_leaving(it: DataObject, stored: DataObject | None) -> bool:
    """Whether it is to be marked as gone, and is otherwise as it is to be."""
    return it.gone and stored is not None and replace(stored, gone=True) == it


def _folded(store: Store, workspace: str, items: Sequence[DataObject]) -> list[DataObject]:
    """With the text that people's search looks at, which names an attribute's table too."""
    names = {it.id: it.name for it in items if it.kind == "table"}
    elsewhere = {it.table for it in items if it.table is not None} - names.keys()
    if elsewhere:
        names |= {it.id: it.name for it in store.show_objects(workspace, sorted(elsewhere))}
    return [replace(it, folded=fold(full_text(it, names.get(it.table or "")))) for it in items]


def _by_model(embeddings: Mapping[str, Embedding]) -> list[Embeddings]:
    """One value a model and width: vectors of two widths under one name are for the store to refuse."""
    grouped: dict[tuple[str, int], list[str]] = {}
    for key, it in embeddings.items():
        grouped.setdefault((it.model, len(it.vector)), []).append(key)
    return [
        Embeddings(model=model, ids=tuple(ids), matrix=np.stack([embeddings[key].vector for key in ids]))
        for (model, _), ids in sorted(grouped.items())
    ]
