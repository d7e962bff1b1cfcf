"""Memories in Neo4j: intent -> objects."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.embeddings import Embeddings
from graph.errors import StaleMemory
from graph.memories import Memory, MemoryState, confidence_of
from graph.neo4j.connection import SETTLING_SECONDS, SETTLING_TRIES, Connection, Run
from graph.neo4j.mapping import (
    batches,
    check_stored_width,
    distinct,
    embedding_rows,
    memory_of,
    seal_of,
    sort_key,
    text_of,
)
from graph.neo4j.workspaces import one
from graph.plain import OUTCOME

WRITE_BATCH = 500


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
        rows = self._memory_rows(memories, embeddings=embeddings, writes=1)
        model = None if embeddings is None else embeddings.model

        def save(run: Run) -> set[str]:
            version: int | None = None
            saved: set[str] = set()
            for batch in list(batches(rows, size=WRITE_BATCH)) or [[]]:
                row = one(
                    run("save_memories", workspace=workspace, version=version, memories=batch, model=model), workspace
                )
                if version is None:
                    check_stored_width(embeddings, stored=row["width"])
                version = row["base"]
                saved.update(row["saved"])
            if instead_of is not None and rows and len(saved) == len(rows):
                left = {"ids": [instead_of.id], "revision": instead_of.revision}
                if not one(run("forget_memories", workspace=workspace, version=version, **left), workspace)[
                    "forgotten"
                ]:
                    raise StaleMemory(instead_of.id, instead_of.revision)
            return saved

        saved = self.connection.transact(save, mode="write", asked="save_memories")
        return tuple(m.id in saved for m in memories)

    def load_memories(self, workspace: str, memories: Sequence[Memory]) -> None:
        rows = {row["id"]: row for row in self._memory_rows(memories, embeddings=None, writes=0)}
        given = {m.id: replace(m, objects=tuple(distinct(m.objects)), missing=()) for m in memories}

        def load(run: Run) -> None:
            version: int | None = None
            for batch in list(batches(sorted(rows), size=WRITE_BATCH)) or [[]]:
                shown = one(run("show_memories", workspace=workspace, ids=batch), workspace)
                there = {m.id: replace(m, missing=()) for m in (memory_of(found) for found, _ in shown["memories"])}
                differing = [rows[key] for key in batch if given[key] != there.get(key)]
                if differing:
                    row = one(run("load_memories", workspace=workspace, version=version, memories=differing), workspace)
                    version = row["base"]

        self.connection.transact(load, mode="write", asked="load_memories")

    def show_memories(self, workspace: str, ids: Sequence[str]) -> tuple[Memory, ...]:
        shown = self._shown(workspace, ids)
        for _ in range(SETTLING_TRIES):
            if all(shown.values()):
                break
            time.sleep(SETTLING_SECONDS)
            again = self._shown(workspace, ids)
            if again == shown:  # nobody is writing: it was changed by hand, and is as it is
                break
            shown = again
        return tuple(sorted(shown, key=lambda m: m.id))

    def _shown(self, workspace: str, ids: Sequence[str]) -> dict[Memory, bool]:
        """Each with whether its parts are of one write. The server reads a node part by part, and a write that comes
        into sight meanwhile is half read; made into a change, that would take back what others had counted."""
        return self.connection.read(
            "show_memories",
            lambda rows: {
                memory_of(found): seal in (None, seal_of(found)) for found, seal in one(rows, workspace)["memories"]
            },
            workspace=workspace,
            ids=distinct(ids),
        )

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
            lambda rows: _memories(one(rows, workspace)),
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
            for batch in list(batches(distinct(ids), size=WRITE_BATCH)) or [[]]:
                row = one(
                    run("forget_memories", workspace=workspace, version=version, ids=batch, revision=revision),
                    workspace,
                )
                version = row["base"]
                forgotten += row["forgotten"]
            return forgotten

        return tuple(sorted(self.connection.transact(forget, mode="write", asked="forget_memories")))

    def _memory_rows(
        self, memories: Sequence[Memory], *, embeddings: Embeddings | None, writes: int
    ) -> list[dict[str, Any]]:
        """`writes`: by how much the write itself moves the revision."""
        vectors = embedding_rows(embeddings)
        rows = []
        for m in memories:
            row: dict[str, Any] = {
                "id": m.id,
                "sort_key": sort_key(m.id),
                "intent_id": m.intent_id,
                "intent_key": sort_key(m.intent_id),
                "intent": m.intent,
                "objects": distinct(m.objects),
                "state": m.state,
                "confidence": confidence_of(m),
                "created_at": m.created_at,
                "last_used_at": m.last_used_at,
                "times": m.times,
                "successes": m.successes,
                "failures": m.failures,
                "evidence": [text_of(OUTCOME, e) for e in m.evidence],
                "statement": m.statement,
                "dialect": m.dialect,
                "revision": m.revision,
                "embedding": None,
            }
            row["seal"] = seal_of(row | {"revision": m.revision + writes})
            if embeddings is not None and m.intent_id in vectors:
                vector, digest = vectors[m.intent_id]
                row |= {
                    "embedding": self.connection.vector(vector),
                    "embedding_digest": digest,
                }
            rows.append(row)
        return rows


def _memories(row: Mapping[str, Any]) -> tuple[Memory, ...]:
    return tuple(sorted((memory_of(found) for found in row["memories"]), key=lambda m: m.id))
