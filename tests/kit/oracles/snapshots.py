"""Everything that a workspace's ports tell of it, in one canonical value, so that two states or two stores compare.

Versions and incarnations are left out, as they are a store's own; floats are rounded to nine decimals.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from graph.catalogue import DataObject, Reference
from graph.evidence import Question
from graph.memories import Memory
from graph.sessions import Session
from graph.store import Store
from graph.workspaces import Stamp
from kit.values.samples import MODEL, unit

T = TypeVar("T", DataObject, Memory)


def canonical(value: object) -> Any:
    """Plain tuples, strings and numbers; records as (name, field, ...) without stamps."""
    match value:
        case Stamp():
            return "stamp"
        case Session():
            return canonical(dataclasses.astuple(dataclasses.replace(value, version=0, incarnation="")))
        case float():
            return round(value, 9)
        case np.ndarray():
            return tuple(value.tolist())
        case dict():
            return tuple(sorted((key, canonical(each)) for key, each in value.items()))
        case tuple() | list():
            return tuple(canonical(each) for each in value)
        case _ if dataclasses.is_dataclass(value):
            fields = (field.name for field in dataclasses.fields(value) if field.name != "folded")
            return (type(value).__name__, *((name, canonical(getattr(value, name))) for name in fields))
    return value


def pages(page: Callable[[str | None], Sequence[T]]) -> Iterator[T]:
    """A walk through all pages, from the first to the empty one."""
    after: str | None = None
    while found := page(after):
        yield from found
        after = found[-1].id


def all_objects(store: Store, workspace: str) -> tuple[DataObject, ...]:
    return tuple(pages(lambda after: store.list_objects(workspace, gone=None, after=after, limit=1000)))


def all_memories(store: Store, workspace: str) -> tuple[Memory, ...]:
    return tuple(pages(lambda after: store.list_memories(workspace, after=after, limit=1000)))


def all_references(store: Store, workspace: str) -> tuple[Reference, ...]:
    return store.list_references(workspace, [each.id for each in all_objects(store, workspace)])


def snapshot(store: Store, workspace: str, *, questions: Sequence[Question] = (), model: str = MODEL) -> Any:
    """What the ports tell of a workspace; `questions` are asked too."""
    shown = store.show_workspace(workspace)
    objects, memories = all_objects(store, workspace), all_memories(store, workspace)
    intents = store.list_ids(workspace).intents
    everything = store.changes(workspace, since=0)
    asked = questions or (Question(vector=unit("x"), model=model, similarity="neural"),)
    return canonical(
        {
            "workspace": dataclasses.replace(shown, name="", created_at=None),  # type: ignore[arg-type]
            "objects": objects,
            "references": all_references(store, workspace),
            "memories": memories,
            "ids": store.list_ids(workspace),
            "changes": (everything.objects, everything.references, everything.intents),
            "unembedded": [
                store.list_unembedded(workspace, of=of, model=model, limit=100_000) for of in ("objects", "intents")
            ],
            "nearest": store.nearest_objects(workspace, intents, model=model),
            "trust": store.list_trust(workspace),
            "evidence": [store.evidence(workspace, question) for question in asked],
        }
    )
