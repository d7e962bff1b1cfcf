"""What readers give and what an import reports: the catalogue as it was read, and what was done with each item.

Values only; an item that cannot be used is one of them, and never an exception.
"""

from __future__ import annotations

from dataclasses import dataclass

from graph.catalogue import DataObject, Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """An item that was left out: its id, or its place in the file where it has none, and why."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """What a source describes: its tables and attributes, each id once, and references between attributes.

    Ends of references and tables of attributes may be the workspace's: only the import can tell.
    """

    source: str
    objects: tuple[DataObject, ...]
    references: tuple[Reference, ...] = ()
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Counts of objects (one that came back counts as updated), what was left out, and the memories (ids) that were
    suspended or came back. `degraded` says in words what could not be done, such as embeddings."""

    imported: int = 0
    updated: int = 0
    unchanged: int = 0
    gone: int = 0
    rejected: tuple[Rejected, ...] = ()
    suspended: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    references_added: int = 0
    references_dropped: int = 0
    degraded: tuple[str, ...] = ()
