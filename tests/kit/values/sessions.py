"""Chunks, premises and sessions for tests, and all that a store tells of a session in one value."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph.chunks import Chunk, ChunksAdded, Tombstone
from graph.premises import Premise
from graph.session_contents import SessionContents
from graph.store import Store
from kit.values.samples import AT

LONG = 1_000


def chunk(key: str, text: str | None = None, **changes: Any) -> Chunk:
    return Chunk(id=key, text=f"text of {key}" if text is None else text, tokens=changes.pop("tokens", 3), **changes)


def chunks(*keys: str) -> list[Chunk]:
    return [chunk(key) for key in keys]


def digests(given: Sequence[Chunk]) -> dict[str, str]:
    return {it.id: hashlib.sha256(it.text.encode("utf-8", "surrogatepass")).hexdigest() for it in given}


def tombstone(it: Chunk, reason: str = "no room left") -> Tombstone:
    return Tombstone(chunk=it.id, digest=digests([it])[it.id], reason=reason, at=AT)


def begin(
    store: Store, workspace: str, session: str = "s", given: Sequence[Chunk] = (), *, incarnation: str = "first"
) -> None:
    store.save_session(workspace, session, incarnation=incarnation, at=AT)
    if given:
        add(store, workspace, given, session=session)


def add(store: Store, workspace: str, given: Sequence[Chunk], *, session: str = "s") -> ChunksAdded:
    return store.add_chunks(workspace, session, given, digests=digests(given))


def link(store: Store, workspace: str, pairs: Mapping[str, Sequence[str]], *, session: str = "s") -> None:
    given = [Premise(chunk=key, premise=other) for key, others in pairs.items() for other in others]
    store.add_premises(workspace, session, given)


def told(store: Store, workspace: str, session: str = "s") -> Any:
    """Everything about a session, in plain values, without versions."""
    live = store.list_chunks(workspace, session, limit=LONG)
    archived = store.list_chunks(workspace, session, archived=True, limit=LONG)
    return (
        replace(store.show_session(workspace, session), version=0, incarnation=""),
        live,
        archived,
        store.list_premises(workspace, session, [each.id for each in (*live, *archived)]),
        store.list_tombstones(workspace, session, limit=LONG),
        plain(store.read_session(workspace, session))[1:],
    )


def plain(it: SessionContents) -> Any:
    """What was read of a session, in plain values."""
    return (
        it.session,
        (it.kinds.tolist(), it.roles.tolist(), it.call_ids),
        (it.ids, it.texts, it.positions.tolist(), it.tokens.tolist(), it.pinned.tolist(), it.importance.tolist()),
        (it.sources.tolist(), it.targets.tolist(), it.grades.tolist(), it.weights.tolist(), it.lost),
    )
