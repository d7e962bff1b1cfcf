"""A reader's mirror of a workspace, kept by changes alone, as the services' lexical arrays are.

What it should hold is for a test to say: the same as one that is read anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graph.catalogue import DataObject, Reference
from graph.store import Store


@dataclass(slots=True)
class Mirror:
    """What a reader derives: caught up by changes only."""

    version: int = 0
    objects: dict[str, DataObject] = field(default_factory=dict)
    intents: dict[str, str] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()

    def catch_up(self, store: Store, workspace: str) -> None:
        changes = store.changes(workspace, since=self.version)
        self.objects.update({each.id: each for each in changes.objects})
        self.intents.update(changes.intents)
        if changes.references is not None:
            self.references = changes.references
        if changes.removed:
            there = store.list_ids(workspace)
            self.objects = {i: o for i, o in self.objects.items() if i in set(there.objects)}
            self.intents = {i: t for i, t in self.intents.items() if i in set(there.intents)}
        self.version = changes.stamp.version


def fresh(store: Store, workspace: str) -> Mirror:
    mirror = Mirror()
    mirror.catch_up(store, workspace)
    return mirror
