"""Faults that somebody might well make, each to be planted in one store of two: the histories must find every one.

Those of the embedded store are there only while the planted one is at work; those of Neo4j are wrong words of queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from graph.embedded import catalogue, evidence, memories
from graph.embedded.feedback import TRUST
from graph.embedded.sorted_keys import VersionLog
from graph.embedded.sqlite_journal import SqliteJournal
from graph.embedded.store import EmbeddedStore
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.neo4j.store import Neo4jStore

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A name, where it lives, and what is made there of the right function."""

    owner: object
    name: str
    made: Callable[[Function], Function]


def _limited(right: Function) -> Function:
    return lambda *given, limit=100, **more: right(*given, limit=limit + 1, **more)


def _careless(right: Function) -> Function:
    """Saves whatever revision a memory has."""

    def save(self: EmbeddedStore, workspace: str, given: Any, **more: Any) -> Any:
        there = {m.id: m.revision for m in self.show_memories(workspace, [m.id for m in given])}
        return right(self, workspace, [replace(m, revision=there.get(m.id, 0)) for m in given], **more)

    return save


def _backwards(right: Function) -> Function:
    def first(rows: Any, *, by: Any, ids: Any, limit: int) -> Any:
        place = {key: -n for n, key in enumerate(sorted(ids))}
        return right(rows, by=by, ids=[place[key] for key in ids], limit=limit)

    return first


def _forgetful(right: Function) -> Function:
    """Commits all but what rules earned."""
    return lambda self, changes: right(self, [each for each in changes if each.kind is not TRUST])


def _everywhere(right: Function) -> Function:
    """Looks into every workspace."""

    def show(self: EmbeddedStore, workspace: str, ids: Any) -> Any:
        right(self, workspace, ids)
        found = {it.id: it for each in self.list_workspaces() for it in right(self, each.name, ids)}
        return tuple(found[key] for key in sorted(found))

    return show


EMBEDDED: Mapping[str, Wrong] = {
    "an intent stays when its last memory goes": Wrong(
        owner=memories, name="_drop_orphans", made=lambda _: lambda *_, **__: False
    ),
    "memories stay suspended when their objects come back": Wrong(
        owner=WorkspaceGraph,
        name="revise_memories",
        made=lambda right: lambda graph, key: None if graph.is_live(key) else right(graph, key),
    ),
    "an object that was renamed keeps its vector": Wrong(
        owner=catalogue, name="_outdated", made=lambda _: lambda *_: []
    ),
    "a column that changed tables stays with the old one too": Wrong(
        owner=WorkspaceGraph, name="unlink", made=lambda _: lambda *_: None
    ),
    "of memories as near as one another the last by id come first": Wrong(
        owner=evidence, name="first_rows", made=_backwards
    ),
    "a page of memories holds one too many": Wrong(owner=EmbeddedStore, name="list_memories", made=_limited),
    "a page of objects holds one too many": Wrong(owner=EmbeddedStore, name="list_objects", made=_limited),
    "what was written last is no change": Wrong(
        owner=VersionLog, name="since", made=lambda right: lambda self, version: right(self, version + 1)
    ),
    "who saves a memory that another has changed wins": Wrong(
        owner=EmbeddedStore, name="save_memories", made=_careless
    ),
    "objects of another workspace are shown": Wrong(owner=EmbeddedStore, name="show_objects", made=_everywhere),
    "what rules earned is not written to the file": Wrong(owner=SqliteJournal, name="commit", made=_forgetful),
}

# The query, the words in it, and the wrong words.
NEO4J: Mapping[str, tuple[str, str, str]] = {
    "memories stay suspended when their objects come back": (
        "save_objects",
        "WHERE any(id IN m.missing WHERE id IN came)",
        "WHERE false AND any(id IN m.missing WHERE id IN came)",
    ),
    "an object that was renamed keeps its vector": ("save_objects", "AND NOT same_text AND", "AND false AND"),
    "a page of memories holds one too many": ("list_memories", "LIMIT $limit", "LIMIT $limit + 1"),
    "memories of another workspace are shown": (
        "show_memories",
        "(m:Memory {workspace: $workspace, id: id})",
        "(m:Memory {id: id}) WHERE $workspace <> ''",
    ),
    "of memories as near as one another the last by id come first": (
        "evidence",
        "ORDER BY similarity DESC, sort_key\n",
        "ORDER BY similarity DESC, sort_key DESC\n",
    ),
    "what went is no change": (
        "remove_objects",
        "x.removed_version = version",
        "x.removed_version = x.removed_version",
    ),
    "an intent stays when its last memory goes": (
        "forget_memories",
        "WHERE NOT EXISTS { (i)<-[:FOR]-() }",
        "WHERE false AND NOT EXISTS { (i)<-[:FOR]-() }",
    ),
    "an answer is judged twice": ("earn_trust", "SET d.judged = true", "SET d.judged = false"),
}


class Planted:
    """A store at work with a fault of `EMBEDDED`: its code is wrong while one of its operations runs."""

    def __init__(self, open_right: Callable[[], Any], wrong: Wrong) -> None:
        self._wrong = wrong
        with self._at_work():
            self._store = open_right()

    def __getattr__(self, name: str) -> Any:
        right = getattr(self._store, name)
        if not callable(right):
            return right

        def operation(*given: Any, **more: Any) -> Any:
            with self._at_work():
                return getattr(self._store, name)(*given, **more)

        return operation

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            wrong = self._wrong
            patch.setattr(wrong.owner, wrong.name, wrong.made(getattr(wrong.owner, wrong.name)))
            yield


def misled(store: Neo4jStore, fault: tuple[str, str, str]) -> Neo4jStore:
    """The store with a fault of `NEO4J`."""
    name, words, wrong = fault
    queries = store.connection.queries
    assert words in queries[name].text
    changed = replace(queries[name], text=queries[name].text.replace(words, wrong))
    store.connection.queries = {**queries, name: changed}
    return store
