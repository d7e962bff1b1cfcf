"""Chunks in the embedded store: added in order, archived and brought back, purged with all that hangs on them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

import numpy as np

from graph.chunks import Chunk, ChunksAdded, Tombstone
from graph.embedded.changes import Kind, Vector, key_of
from graph.embedded.session_state import SessionState
from graph.embedded.sessions import SessionOperations, move, state_of
from graph.embedded.transactions import Draft
from graph.embedded.vectors import checked_vectors
from graph.embeddings import Embeddings
from graph.errors import ChunkConflict, InvalidInput, UnknownChunks
from graph.premises import Premise, cleaned, ends, joined


class ChunkOperations(SessionOperations):
    """See `graph.chunks.Chunks`."""

    def add_chunks(
        self,
        workspace: str,
        session: str,
        chunks: Sequence[Chunk],
        *,
        digests: Mapping[str, str],
        premises: Sequence[Premise] = (),
    ) -> ChunksAdded:
        with self._changing(workspace, session) as (state, draft):
            told: dict[str, list[str]] = {}
            added = state.record.added
            for chunk in chunks:
                became = _became(state, chunk, digest=digests[chunk.id])
                told.setdefault(became, []).append(chunk.id)
                if became == "added":
                    draft.put(Kind.CHUNK, key_of(session, chunk.id), replace(chunk, position=added, archived_at=None))
                    added += 1
                elif became == "updated":
                    known = state.chunks[chunk.id]
                    kept = replace(chunk, position=known.position, archived_at=None)
                    draft.put(Kind.CHUNK, key_of(session, chunk.id), kept)
            if "conflict" in told:
                raise ChunkConflict(session, tuple(sorted(told["conflict"])))
            check_ends(state, premises, coming=told.get("added", ()))
            join_premises(state, draft, premises)
            if not draft.is_empty:
                move(state, draft, added=added)
        with self._reading(workspace) as graph:
            ids = {became: tuple(keys) for became, keys in told.items()}
            return ChunksAdded(session=state_of(graph, session).summary(), **ids)

    def load_chunks(
        self, workspace: str, session: str, chunks: Sequence[Chunk], *, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[int, int]:
        with self._changing(workspace, session) as (state, draft):
            differing = [chunk for chunk in chunks if chunk != state.chunks.get(chunk.id)]
            _check_places(state, chunks)
            for chunk in differing:
                draft.put(Kind.CHUNK, key_of(session, chunk.id), chunk)
            other = [it for it in tombstones if it != state.tombstones.get(it.chunk)]
            for it in other:
                draft.put(Kind.TOMBSTONE, key_of(session, it.chunk), it)
            if differing or other:
                after = max((chunk.position + 1 for chunk in differing), default=0)
                move(state, draft, added=max(state.record.added, after))
            made = sum(chunk.id not in state.chunks for chunk in differing)
            made += sum(it.chunk not in state.tombstones for it in other)
            return made, len(differing) + len(other) - made

    def list_chunks(
        self, workspace: str, session: str, *, archived: bool = False, after: int = -1, limit: int = 100
    ) -> tuple[Chunk, ...]:
        with self._reading(workspace) as graph:
            state = state_of(graph, session)
            positions = state.positions()
            start = bisect_right(positions, after)
            found = (state.chunks[state.at[positions[place]]] for place in range(start, len(positions)))
            return tuple(islice((chunk for chunk in found if (chunk.archived_at is not None) == archived), limit))

    def list_tombstones(
        self, workspace: str, session: str, *, after: str | None = None, limit: int = 100
    ) -> tuple[Tombstone, ...]:
        with self._reading(workspace) as graph:
            stones = state_of(graph, session).tombstones
            keys = (key for key in sorted(stones) if after is None or key > after)
            return tuple(stones[key] for key in islice(keys, limit))

    def evict_chunks(
        self, workspace: str, session: str, ids: Sequence[str], *, at: datetime, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[str, ...]:
        with self._changing(workspace, session) as (state, draft):
            leaving = sorted(key for key in set(ids) if _is(state, key, archived=False))
            stones = {it.chunk: it for it in tombstones}
            for key in leaving:
                draft.put(Kind.CHUNK, key_of(session, key), replace(state.chunks[key], archived_at=at))
                if key in stones:
                    draft.put(Kind.TOMBSTONE, key_of(session, key), stones[key])
            if leaving:
                move(state, draft)
            return tuple(leaving)

    def restore_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        with self._changing(workspace, session) as (state, draft):
            coming = sorted(key for key in set(ids) if _is(state, key, archived=True))
            for key in coming:
                draft.put(Kind.CHUNK, key_of(session, key), replace(state.chunks[key], archived_at=None))
            draft.drop(Kind.TOMBSTONE, (key_of(session, key) for key in coming if key in state.tombstones))
            if coming:
                move(state, draft)
            return tuple(coming)

    def purge_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        with self._changing(workspace, session) as (state, draft):
            leaving = sorted(key for key in set(ids) if key in state.chunks)
            pairs = {(it.chunk, it.premise) for key in leaving for it in state.premises_at(key)}
            draft.drop(Kind.PREMISE, (key_of(session, *pair) for pair in sorted(pairs)))
            draft.drop(Kind.CHUNK_VECTOR, (key_of(session, key) for key in leaving if key in state.vectors))
            draft.drop(Kind.CHUNK, (key_of(session, key) for key in leaving))
            if leaving:
                move(state, draft)
            return tuple(leaving)

    def show_chunk_embeddings(
        self, workspace: str, session: str, *, ids: Sequence[str] | None = None
    ) -> tuple[Embeddings, ...]:
        with self._reading(workspace) as graph:
            state = state_of(graph, session)
            asked = [key for key in state.chunks if _is(state, key, archived=False)] if ids is None else set(ids)
            found: dict[str, list[str]] = {}
            for key in sorted(asked):
                if key in state.vectors:
                    found.setdefault(state.vectors[key].model, []).append(key)
            return tuple(
                Embeddings(model=model, ids=tuple(keys), matrix=np.stack([state.vectors[k].values for k in keys]))
                for model, keys in sorted(found.items())
            )

    def save_chunk_embeddings(self, workspace: str, session: str, embeddings: Embeddings) -> None:
        vectors = checked_vectors(embeddings)
        with self._changing(workspace, session) as (state, draft):
            _check_width(state, embeddings)
            for key, vector in vectors.items():
                if key in state.chunks and not _holds(state.vectors.get(key), vector):
                    draft.put(Kind.CHUNK_VECTOR, key_of(session, key), vector)


def check_ends(state: SessionState, premises: Sequence[Premise], *, coming: Sequence[str] = ()) -> None:
    """Refuses premises that name what is not there, and does not come with them."""
    there = set(coming)
    if unknown := tuple(key for key in ends(premises) if key not in state.chunks and key not in there):
        raise UnknownChunks(state.id, unknown)


def join_premises(state: SessionState, draft: Draft, premises: Sequence[Premise]) -> tuple[int, int, int]:
    """Puts premises between chunks that are there into the draft; how many are new, changed, and as they were."""
    given = cleaned(premises)
    added = updated = 0
    for pair, it in given.items():
        old = state.premise(*pair)
        new = joined(old, it)
        if new != old:
            draft.put(Kind.PREMISE, key_of(state.id, *pair), new)
            added += old is None
            updated += old is not None
    return added, updated, len(given) - added - updated


def _became(state: SessionState, chunk: Chunk, *, digest: str) -> str:
    """What an addition comes to; the names are those of `ChunksAdded`, and `conflict`."""
    known = state.chunks.get(chunk.id)
    if known is None:
        stone = state.tombstones.get(chunk.id)
        return "buried" if stone is not None and stone.digest in (digest, "") else "added"
    if known.text != chunk.text:
        return "conflict"
    if known.archived_at is not None:
        return "archived"
    return "unchanged" if replace(chunk, position=known.position, archived_at=None) == known else "updated"


def _is(state: SessionState, key: str, *, archived: bool) -> bool:
    known = state.chunks.get(key)
    return known is not None and (known.archived_at is not None) == archived


def _check_places(state: SessionState, chunks: Sequence[Chunk]) -> None:
    places = dict(state.at)
    for chunk in chunks:
        if places.setdefault(chunk.position, chunk.id) != chunk.id or chunk.position < 0:
            raise InvalidInput(
                f"chunk {chunk.id!r} at position {chunk.position} of session {state.id!r}",
                found=f"chunk {places[chunk.position]!r} there" if chunk.position >= 0 else "no such position",
                hint="Load the session under another id, or into another workspace",
            )


def _check_width(state: SessionState, embeddings: Embeddings) -> None:
    stored = next((it for it in state.vectors.values() if it.model == embeddings.model), None)
    if stored is not None and embeddings.ids and len(stored.values) != embeddings.matrix.shape[1]:
        raise InvalidInput(
            f"an embedding of {embeddings.matrix.shape[1]} dimensions by model {embeddings.model!r}",
            found=f"embeddings of {len(stored.values)} dimensions under this model's name",
            hint="Set RETINUE_ENCODER to the model that the session was embedded with",
        )


def _holds(old: Vector | None, new: Vector) -> bool:
    return old is not None and old.model == new.model and bool(np.array_equal(old.values, new.values))
