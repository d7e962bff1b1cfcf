"""Chunks in Neo4j: added in order, archived under another label, brought back, purged with all that hangs on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np

from graph.chunks import Chunk, ChunksAdded, Tombstone
from graph.embeddings import Embeddings
from graph.errors import ChunkConflict, InvalidInput
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import (
    batches,
    check_stored_width,
    check_whole,
    chunk_of,
    distinct,
    embedding_rows,
    session_of,
    sort_key,
    tombstone_of,
)
from graph.neo4j.premises import add_premises
from graph.neo4j.sessions import the_session
from graph.neo4j.workspaces import one
from graph.premises import Premise

WRITE_BATCH = 1_000
VECTOR_BATCH = 10_000  # vectors in one transaction, and in one record: a server holds either in its memory as a whole


class ChunkQueries:
    """See `graph.chunks.Chunks`."""

    connection: Connection

    def add_chunks(
        self,
        workspace: str,
        session: str,
        chunks: Sequence[Chunk],
        *,
        digests: Mapping[str, str],
        premises: Sequence[Premise] = (),
    ) -> ChunksAdded:
        rows = [_row(chunk) | {"digest": digests[chunk.id]} for chunk in chunks]

        def add(run: Run) -> ChunksAdded:
            told: dict[str, list[str]] = {}
            fresh_from = None
            for batch in list(batches(rows, size=WRITE_BATCH)) or [[]]:
                row = _done(run("add_chunks", workspace=workspace, session=session, chunks=batch), workspace, session)
                for key, became in row["became"]:
                    told.setdefault(became, []).append(key)
                if fresh_from is None:
                    fresh_from = row["session"]["added"] - len(told.get("added", ()))
            if "conflict" in told:
                raise ChunkConflict(session, tuple(sorted(told["conflict"])))
            after = session_of(row["session"])
            if premises:
                after = add_premises(run, workspace, session, premises, fresh_from=fresh_from).session
            return ChunksAdded(session=after, **{name: tuple(ids) for name, ids in told.items()})

        return self.connection.transact(add, mode="write", asked="add_chunks")

    def load_chunks(
        self, workspace: str, session: str, chunks: Sequence[Chunk], *, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[int, int]:
        rows = [_row(chunk) | {"position": chunk.position, "archived_at": chunk.archived_at} for chunk in chunks]
        wrong = _misplacement(session, chunks)

        def load(run: Run) -> tuple[int, int]:
            made = changed = 0
            groups: list[tuple[Sequence[dict[str, Any]], list[dict[str, Any]]]] = [
                *((batch, []) for batch in batches(rows, size=WRITE_BATCH)),
                *(([], [_stone(it) for it in batch]) for batch in batches(tombstones, size=WRITE_BATCH)),
            ]
            for batch, stones in groups or [([], [])]:
                records = run("load_chunks", workspace=workspace, session=session, chunks=batch, tombstones=stones)
                row = _done(records, workspace, session)
                if wrong is not None:  # said once it is known that there is such a session
                    raise wrong
                if row["taken"]:
                    key, other = row["taken"][0]
                    position = next(chunk.position for chunk in chunks if chunk.id == key)
                    raise _misplaced(session, key, position=position, found=f"chunk {other!r} there")
                made += row["created"]
                changed += row["changed"]
            return made, changed

        return self.connection.transact(load, mode="write", asked="load_chunks")

    def list_chunks(
        self, workspace: str, session: str, *, archived: bool = False, after: int = -1, limit: int = 100
    ) -> tuple[Chunk, ...]:
        found = self.connection.read(
            "list_chunks",
            lambda rows: [chunk_of(row) for row in _done(rows, workspace, session)["chunks"]],
            workspace=workspace,
            session=session,
            archived=archived,
            after=after,
            limit=limit,
        )
        return tuple(sorted(found, key=lambda it: it.position))

    def list_tombstones(
        self, workspace: str, session: str, *, after: str | None = None, limit: int = 100
    ) -> tuple[Tombstone, ...]:
        found = self.connection.read(
            "list_tombstones",
            lambda rows: [tombstone_of(row) for row in _done(rows, workspace, session)["tombstones"]],
            workspace=workspace,
            session=session,
            after=sort_key(after or ""),
            limit=limit,
        )
        return tuple(sorted(found, key=lambda it: it.chunk))

    def evict_chunks(
        self, workspace: str, session: str, ids: Sequence[str], *, at: datetime, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[str, ...]:
        stones = {it.chunk: _stone(it) for it in tombstones}
        without = {"digest": None}
        rows = [{"id": key, **stones.get(key, without)} for key in distinct(ids)]
        return self._each("evict_chunks", workspace, session, chunks=rows, done="evicted", at=at)

    def restore_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        return self._each("restore_chunks", workspace, session, ids=distinct(ids), done="restored")

    def purge_chunks(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        return self._each("purge_chunks", workspace, session, ids=distinct(ids), done="purged")

    def show_chunk_embeddings(
        self, workspace: str, session: str, *, ids: Sequence[str] | None = None
    ) -> tuple[Embeddings, ...]:
        def show(run: Run) -> tuple[Embeddings, ...]:
            found: list[Sequence[Any]] = []
            position, looked = 0, VECTOR_BATCH
            while looked == VECTOR_BATCH:
                given = {"ids": None if ids is None else distinct(ids), "position": position, "limit": VECTOR_BATCH}
                row = _done(
                    run("show_chunk_embeddings", workspace=workspace, session=session, **given), workspace, session
                )
                found += row["embeddings"]
                position, looked = (row["last"] or 0) + 1, 0 if ids is not None else row["looked"]
            return _embeddings(found)

        return self.connection.transact(show, mode="read", asked="show_chunk_embeddings")

    def save_chunk_embeddings(self, workspace: str, session: str, embeddings: Embeddings) -> None:
        rows = [[key, vector.tobytes()] for key, (vector, _) in embedding_rows(embeddings).items()]

        def save(run: Run, part: Sequence[list[Any]]) -> None:
            for number, batch in enumerate(list(batches(part, size=WRITE_BATCH)) or [[]]):
                records = run(
                    "save_chunk_embeddings", workspace=workspace, session=session, model=embeddings.model, rows=batch
                )
                row = _done(records, workspace, session)
                if not number:
                    check_stored_width(embeddings, stored=None if row["width"] is None else row["width"] // 4)

        for part in list(batches(rows, size=VECTOR_BATCH)) or [[]]:
            self.connection.transact(partial(save, part=part), mode="write", asked="save_chunk_embeddings")

    def _each(self, query: str, workspace: str, session: str, *, done: str, **parameters: Any) -> tuple[str, ...]:
        """Runs the query for batches of its one list, in one transaction; the ids that it was done to, sorted."""
        [(name, rows)] = [(key, value) for key, value in parameters.items() if isinstance(value, list)]

        def run_all(run: Run) -> list[str]:
            ids: list[str] = []
            for batch in list(batches(rows, size=WRITE_BATCH)) or [[]]:
                given = {**parameters, name: batch}
                ids += _done(run(query, workspace=workspace, session=session, **given), workspace, session)[done]
            return ids

        return tuple(sorted(self.connection.transact(run_all, mode="write", asked=query)))


def _done(records: list[Any], workspace: str, session: str) -> Mapping[str, Any]:
    return the_session(one(records, workspace), workspace, session)


def _row(chunk: Chunk) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "sort_key": sort_key(chunk.id),
        "text": chunk.text,
        "tokens": chunk.tokens,
        "pinned": chunk.pinned,
        "importance": float(chunk.importance),
    }


def _stone(it: Tombstone) -> dict[str, Any]:
    return {"chunk": it.chunk, "sort_key": sort_key(it.chunk), "digest": it.digest, "reason": it.reason, "at": it.at}


def _embeddings(rows: Sequence[Sequence[Any]]) -> tuple[Embeddings, ...]:
    found: dict[str, list[tuple[str, bytes]]] = {}
    for key, model, vector in rows:
        check_whole(key, model, vector)
        found.setdefault(model, []).append((key, vector))
    made = []
    for model, pairs in sorted(found.items()):
        pairs.sort()
        matrix = np.frombuffer(b"".join(vector for _, vector in pairs), dtype="<f4").reshape(len(pairs), -1)
        made.append(Embeddings(model=model, ids=tuple(key for key, _ in pairs), matrix=matrix))
    return tuple(made)


def _misplacement(session: str, chunks: Sequence[Chunk]) -> InvalidInput | None:
    places: dict[int, str] = {}
    for chunk in chunks:
        if chunk.position < 0:
            return _misplaced(session, chunk.id, position=chunk.position, found="no such position")
        if places.setdefault(chunk.position, chunk.id) != chunk.id:
            found = f"chunk {places[chunk.position]!r} there"
            return _misplaced(session, chunk.id, position=chunk.position, found=found)
    return None


def _misplaced(session: str, chunk: str, *, position: int, found: str) -> InvalidInput:
    return InvalidInput(
        f"chunk {chunk!r} at position {position} of session {session!r}",
        found=found,
        hint="Load the session under another id, or into another workspace",
    )
