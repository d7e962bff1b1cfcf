"""Memories in Neo4j: intent -> objects."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar

from neo4j import Record

from graph.embeddings import Embeddings
from graph.errors import StaleMemory
from graph.evidence import EXPECTED_LIMIT
from graph.memories import Memory, MemoryDifference, MemoryState, confidence_of
from graph.neo4j.connection import SETTLING_SECONDS, SETTLING_TRIES, Connection, Run
from graph.neo4j.mapping import (
    EXPECTED,
    MEMORY,
    check_stored_width,
    distinct,
    embedding_rows,
    seal_of,
    sort_key,
    value_of,
)

T = TypeVar("T")

CHECKED_AT_ONCE = 1_000  # memories


class MemoryQueries:
    """See `graph.memories.Memories`."""

    connection: Connection

    def save_memories(
        self,
        workspace: str,
        memories: Sequence[Memory],
        *,
        embeddings: Embeddings | None = None,
        instead_of: Memory | None = None,
    ) -> tuple[bool, ...]:
        rows = self._rows(memories, embeddings=embeddings, writes=1)
        model = None if embeddings is None else embeddings.model

        def save(run: Run) -> set[str]:
            version: int | None = None
            saved: set[str] = set()
            for batch in self._batches(rows):
                given = {"memories": batch, "model": model, "copy": False}
                row = run("save_memories", workspace=workspace, version=version, **given)
                if version is None:
                    check_stored_width(embeddings, stored=row["width"])
                version = row["base"]
                saved.update(row["saved"])
            if instead_of is not None and rows and len(saved) == len(rows):
                former = {"ids": [instead_of.id], "revision": instead_of.revision}
                if not run("forget_memories", workspace=workspace, version=version, **former)["forgotten"]:
                    raise StaleMemory(instead_of.id, instead_of.revision)
            return saved

        saved = self.connection.transact(save, mode="write", asked="save_memories")
        return tuple(m.id in saved for m in memories)

    def load_memories(self, workspace: str, memories: Sequence[Memory]) -> None:
        rows = {row["id"]: row for row in self._rows(memories, embeddings=None, writes=0)}
        given = {m.id: replace(m, objects=tuple(distinct(m.objects)), missing=()) for m in memories}

        def load(run: Run) -> None:
            version: int | None = None
            for batch in self._batches(sorted(rows)):
                shown = _sealed(run("show_memories", workspace=workspace, ids=batch))
                there = {m.id: replace(m, missing=()) for m in shown}
                if differing := [rows[key] for key in batch if given[key] != there.get(key)]:
                    more = {"memories": differing, "model": None, "copy": True}
                    version = run("save_memories", workspace=workspace, version=version, **more)["base"]

        self.connection.transact(load, mode="write", asked="load_memories")

    def show_memories(self, workspace: str, ids: Sequence[str]) -> tuple[Memory, ...]:
        """See `graph.memories.Memories.show_memories`. The server reads a node property by property, and
        may see a concurrent write in part; a change made from that would undo what others had counted."""
        asked = {"workspace": workspace, "ids": distinct(ids)}
        shown = self.connection.read("show_memories", _sealed, **asked)
        for _ in range(SETTLING_TRIES):
            if all(shown.values()):
                break
            time.sleep(SETTLING_SECONDS)
            again = self.connection.read("show_memories", _sealed, **asked)
            if again == shown:  # no write is under way: it was changed by hand
                break
            shown = again
        return tuple(sorted(shown, key=attrgetter("id")))

    def list_memories(
        self,
        workspace: str,
        *,
        state: MemoryState | None = None,
        suspended: bool | None = None,
        intent_id: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[Memory, ...]:
        return self.connection.read(
            "list_memories",
            lambda row: tuple(sorted(map(MEMORY.read, row["memories"]), key=attrgetter("id"))),
            workspace=workspace,
            state=state,
            suspended=suspended,
            intent_id=intent_id,
            after=sort_key(after or ""),
            limit=limit,
        )

    def forget_memories(self, workspace: str, ids: Sequence[str], *, revision: int | None = None) -> tuple[str, ...]:
        def forget(run: Run) -> list[str]:
            version: int | None = None
            forgotten: list[str] = []
            for batch in self._batches(distinct(ids)):
                row = run("forget_memories", workspace=workspace, version=version, ids=batch, revision=revision)
                version = row["base"]
                forgotten += row["forgotten"]
            return forgotten

        return tuple(sorted(self.connection.transact(forget, mode="write", asked="forget_memories")))

    def check_memories(self, workspace: str) -> tuple[MemoryDifference, ...]:
        differences: list[MemoryDifference] = []
        after: str | None = ""
        while after is not None:
            page = self.connection.read(
                "check_memories", lambda row: row["memories"], workspace=workspace, after=after, limit=CHECKED_AT_ONCE
            )
            for row in page:
                differences += _differences(*row)
            after = page[-1][1] if len(page) == CHECKED_AT_ONCE else None
        return tuple(sorted(differences, key=attrgetter("memory", "relationship")))

    def _batches(self, rows: Sequence[T]) -> list[Sequence[T]]:
        return self.connection.batches(rows, share=2)  # a memory is several nodes and relationships

    def _rows(self, memories: Sequence[Memory], *, embeddings: Embeddings | None, writes: int) -> list[dict[str, Any]]:
        """`writes`: by how much the write itself moves the revision."""
        vectors = embedding_rows(embeddings)
        rows = []
        for m in memories:
            stored = replace(m, objects=tuple(distinct(m.objects)), revision=m.revision + writes)
            derived = {"sort_key": sort_key(m.id), "confidence": confidence_of(m), "seal": seal_of(stored)}
            properties = MEMORY.write(stored, **derived)
            del properties["missing"]
            rows.append(
                {
                    "id": m.id,
                    "revision": m.revision,
                    "intent_key": sort_key(m.intent_id),
                    "properties": properties,
                    **self.connection.embedding(vectors.get(m.intent_id)),
                }
            )
        return rows


def _sealed(row: Record) -> dict[Memory, bool]:
    """Return the memories, each with whether its parts are of one write."""
    memories = ((MEMORY.read(found), seal) for found, seal in row["memories"])
    return {memory: seal == seal_of(memory) for memory, seal in memories}


def _differences(
    memory: str, _key: str, lacking: list[str], extra: list[str], packed: str | None, linked: list[list[Any]]
) -> Iterator[MemoryDifference]:
    """Of one row of `check_memories`; an expectation for a catalogue that moved on has lost its relationships."""
    if packed is not None:
        made = value_of(EXPECTED, packed, memory=memory, support=0.0)
        pairs = list(zip(made.objects, made.scores, strict=True))[:EXPECTED_LIMIT]
        wanted = {(rank, *pair) for rank, pair in enumerate(pairs)}
        there = {tuple(each) for each in linked}
        if wanted != there:
            lost, more = (tuple(sorted(item for _, item, _ in each)) for each in (wanted - there, there - wanted))
            yield MemoryDifference(memory=memory, relationship="EXPECTED", lacking=lost, extra=more)
    if lacking or extra:
        ids = tuple(sorted(lacking)), tuple(sorted(extra))
        yield MemoryDifference(memory=memory, relationship="FOUND", lacking=ids[0], extra=ids[1])
