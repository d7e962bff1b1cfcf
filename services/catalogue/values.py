"""What readers return and an import reports: the catalogue as read, and counts of what was done with its items.

Invalid items are values too, never exceptions.
"""

from collections.abc import Callable
from dataclasses import dataclass

from graph.catalogue import DataObject, Reference

Progress = Callable[[int, int | None], None]


class Unusable(Exception):
    """An item, a statement or a file that cannot be read becomes a `Rejected`; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """An item that was left out: its id, or its place in the file if it has none, and why."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCatalogue:
    """The catalogue of one source: tables and attributes, each id once, and references between attributes.

    References and attributes may refer to objects of the workspace; the import checks that.
    """

    source: str
    objects: tuple[DataObject, ...]
    references: tuple[Reference, ...] = ()
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueImport:
    """Counts of objects (a restored one counts as updated), the rejected items, and the memories (ids) that were
    suspended or restored. `degraded` says in words what could not be done, such as embeddings."""

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
