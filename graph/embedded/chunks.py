"""Chunks in the embedded store: added in order, archived and restored, purged with their premises and vectors."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

import numpy as np

from graph import plain
from graph.chunks import Chunk, ChunksAdded, Tombstone
from graph.embedded.kinds import Change, Kind, Vector, after_session, form_kind, keep, key_of, parts_of
from graph.embedded.premises import PREMISE, check_ends, join_premises
from graph.embedded.session_changes import changing, move, state_of
from graph.embedded.session_state import SessionState, chunk_node, session_node
from graph.embedded.transactions import Core
from graph.embedded.vectors import checked_vectors
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.embeddings import Embeddings, check_width
from graph.errors import ChunkConflict, InvalidInput
from graph.premises import Premise


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
        keep(state.vectors, chunk_id, change.value)


def _apply_tombstone(graph: WorkspaceGraph, change: Change) -> None:
    session, chunk = parts_of(change.id)
    state = graph.sessions.get(session)
    if state is not None:
        keep(state.tombstones, chunk, change.value)


CHUNK = form_kind(plain.CHUNK, "id", number=21, name="chunk", apply=_apply_chunk, ids=after_session)
CHUNK_VECTOR = Kind(number=22, name="chunk vector", apply=_apply_chunk_vector)
TOMBSTONE = form_kind(plain.TOMBSTONE, "chunk", number=24, name="tombstone", apply=_apply_tombstone, ids=after_session)


class ChunkOperations(Core):
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
        with changing(self._writing(workspace), session) as (state, draft):
            outcomes: dict[str, list[str]] = {}
            added = state.record.added
            for chunk in chunks:
                became = _became(state, chunk, digest=digests[chunk.id])
                outcomes.setdefault(became, []).append(chunk.id)
                if became == "added":
                    draft.put(CHUNK, key_of(session, chunk.id), replace(chunk, position=added, archived_at=None))
                    added += 1
                elif became == "updated":
                    known = state.chunks[chunk.id]
                    kept = replace(chunk, position=known.position, archived_at=None)
                    draft.put(CHUNK, key_of(session, chunk.id), kept)
            if "conflict" in outcomes:
                raise ChunkConflict(session, tuple(sorted(outcomes["conflict"])))
            check_ends(state, premises, coming=outcomes.get("added", ()))
            join_premises(state, draft, premises)
            if not draft.is_empty:
                move(state, draft, added=added)
        with self._reading(workspace) as graph:
            ids = {became: tuple(keys) for became, keys in outcomes.items()}
            return ChunksAdded(session=state_of(graph, session).summary(), **ids)

    def load_chunks(
        self, workspace: str, session: str, chunks: Sequence[Chunk], *, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[int, int]:
        with changing(self._writing(workspace), session) as (state, draft):
            differing = [chunk for chunk in chunks if chunk != state.chunks.get(chunk.id)]
            _check_places(state, chunks)
            for chunk in differing:
                draft.put(CHUNK, key_of(session, chunk.id), chunk)
            other = [it for it in tombstones if it != state.tombstones.get(it.chunk)]
            for it in other:
                draft.put(TOMBSTONE, key_of(session, it.chunk), it)
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
        with changing(self._writing(workspace), session) as (state, draft):
            leaving = sorted(key for key in set(ids) if _is(state, key, archived=False))
            stones = {it.chunk: it for it in tombstones}
            for key in leaving:
                draft.put(CHUNK, key_of(session, key), replace(state.chunks[key], archived_at=at))
                if key in stones:
                    draft.put(TOMBSTONE, key_of(session, key), stones[key])
            if leaving:
                move(state, draft)
            return tuple(leaving)

    def restore_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        with changing(self._writing(workspace), session) as (state, draft):
            coming = sorted(key for key in set(ids) if _is(state, key, archived=True))
            for key in coming:
                draft.put(CHUNK, key_of(session, key), replace(state.chunks[key], archived_at=None))
            draft.drop(TOMBSTONE, (key_of(session, key) for key in coming if key in state.tombstones))
            if coming:
                move(state, draft)
            return tuple(coming)

    def purge_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        with changing(self._writing(workspace), session) as (state, draft):
            leaving = sorted(key for key in set(ids) if key in state.chunks)
            pairs = {(it.chunk, it.premise) for key in leaving for it in state.premises_at(key)}
            draft.drop(PREMISE, (key_of(session, *pair) for pair in sorted(pairs)))
            draft.drop(CHUNK_VECTOR, (key_of(session, key) for key in leaving if key in state.vectors))
            draft.drop(CHUNK, (key_of(session, key) for key in leaving))
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
        with changing(self._writing(workspace), session) as (state, draft):
            stored = next((len(it.values) for it in state.vectors.values() if it.model == embeddings.model), None)
            if embeddings.ids:
                check_width(embeddings.matrix.shape[1], stored=stored, model=embeddings.model)
            for key, vector in vectors.items():
                if key in state.chunks and not _holds(state.vectors.get(key), vector):
                    draft.put(CHUNK_VECTOR, key_of(session, key), vector)


def _became(state: SessionState, chunk: Chunk, *, digest: str) -> str:
    """Return what becomes of an addition: a field of `ChunksAdded`, or `conflict`."""
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


def _holds(old: Vector | None, new: Vector) -> bool:
    return old is not None and old.model == new.model and bool(np.array_equal(old.values, new.values))
