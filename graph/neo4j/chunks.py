"""Chunks in Neo4j: added in order, archived, restored, and purged with their premises and vectors."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from graph.chunks import Chunk, ChunksAdded, Tombstone
from graph.embeddings import Embeddings
from graph.errors import ChunkConflict, InvalidInput
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import (
    CHUNK,
    SESSION,
    TOMBSTONE,
    batches,
    check_stored_width,
    check_whole,
    distinct,
    embedding_rows,
    sort_key,
)
from graph.neo4j.premises import premise_rows, put_premises
from graph.premises import Premise, cleaned, ends


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
        rows = []
        for chunk in chunks:
            properties = CHUNK.write(chunk, sort_key=sort_key(chunk.id))
            del properties["position"], properties["archived_at"]
            rows.append({"digest": digests[chunk.id], "properties": properties})

        def add(run: Run) -> ChunksAdded:
            became: dict[str, list[str]] = {}
            fresh_from = None
            for batch in self.connection.batches(rows):
                row = run("add_chunks", workspace=workspace, session=session, chunks=batch)
                for key, outcome in row["became"]:
                    became.setdefault(outcome, []).append(key)
                if fresh_from is None:
                    fresh_from = row["session"]["added"] - len(became.get("added", ()))
            if "conflict" in became:
                raise ChunkConflict(session, tuple(sorted(became["conflict"])))
            after = SESSION.read(row["session"])
            if premises:
                linked = self.connection.batches(premise_rows(cleaned(premises).values()))
                after = put_premises(
                    run, workspace, session, linked, named=ends(premises), fresh_from=fresh_from
                ).session
            return ChunksAdded(session=after, **{name: tuple(ids) for name, ids in became.items()})

        return self.connection.transact(add, mode="write", asked="add_chunks")

    def load_chunks(
        self, workspace: str, session: str, chunks: Sequence[Chunk], *, tombstones: Sequence[Tombstone] = ()
    ) -> tuple[int, int]:
        rows = [CHUNK.write(chunk, sort_key=sort_key(chunk.id)) for chunk in chunks]
        wrong = _misplacement(session, chunks)

        def load(run: Run) -> tuple[int, int]:
            made = changed = 0
            groups: list[tuple[Sequence[dict[str, Any]], list[dict[str, Any]]]] = [
                *((batch, []) for batch in self.connection.batches(rows)),
                *(([], [_stone(it) for it in batch]) for batch in self.connection.batches(tombstones) if batch),
            ]
            for batch, stones in groups:
                row = run("load_chunks", workspace=workspace, session=session, chunks=batch, tombstones=stones)
                if wrong is not None:  # raised once it is known that there is such a session
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
            lambda row: [CHUNK.read(each) for each in row["chunks"]],
            workspace=workspace,
            session=session,
            archived=archived,
            after=after,
            limit=limit,
        )
        return tuple(sorted(found, key=attrgetter("position")))

    def list_tombstones(
        self, workspace: str, session: str, *, after: str | None = None, limit: int = 100
    ) -> tuple[Tombstone, ...]:
        found = self.connection.read(
            "list_tombstones",
            lambda row: [TOMBSTONE.read(each) for each in row["tombstones"]],
            workspace=workspace,
            session=session,
            after=sort_key(after or ""),
            limit=limit,
        )
        return tuple(sorted(found, key=attrgetter("chunk")))

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
            limit = self.connection.vector_batch
            position, looked = 0, limit
            while looked == limit:
                given = {"ids": None if ids is None else distinct(ids), "position": position, "limit": limit}
                row = run("show_chunk_embeddings", workspace=workspace, session=session, **given)
                found += row["embeddings"]
                position, looked = (row["last"] or 0) + 1, 0 if ids is not None else row["looked"]
            return _embeddings(found)

        return self.connection.transact(show, mode="read", asked="show_chunk_embeddings")

    def save_chunk_embeddings(self, workspace: str, session: str, embeddings: Embeddings) -> None:
        rows = [[key, vector.tobytes()] for key, (vector, _) in embedding_rows(embeddings).items()]

        def save(run: Run, part: Sequence[list[Any]]) -> None:
            for number, batch in enumerate(self.connection.batches(part)):
                given = {"model": embeddings.model, "rows": batch}
                row = run("save_chunk_embeddings", workspace=workspace, session=session, **given)
                if not number:
                    check_stored_width(embeddings, stored=None if row["width"] is None else row["width"] // 4)

        for part in list(batches(rows, size=self.connection.vector_batch)) or [[]]:
            self.connection.transact(partial(save, part=part), mode="write", asked="save_chunk_embeddings")

    def _each(self, query: str, workspace: str, session: str, *, done: str, **parameters: Any) -> tuple[str, ...]:
        """Run the query for batches of its one list, in one transaction. Returns the ids that it changed, sorted."""
        [(name, rows)] = [(key, value) for key, value in parameters.items() if isinstance(value, list)]

        def run_all(run: Run) -> list[str]:
            ids: list[str] = []
            for batch in self.connection.batches(rows):
                ids += run(query, workspace=workspace, session=session, **{**parameters, name: batch})[done]
            return ids

        return tuple(sorted(self.connection.transact(run_all, mode="write", asked=query)))


def _stone(it: Tombstone) -> dict[str, Any]:
    return TOMBSTONE.write(it, sort_key=sort_key(it.chunk))


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
