"""The JSON of data objects and of catalogue imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.catalogue import DataObject, ObjectKind, ObjectsRemoved

if TYPE_CHECKING:
    from services.catalogue import CatalogueImport


class ObjectReply(TypedDict):
    """A table or an attribute."""

    id: str
    kind: ObjectKind
    table: str | None
    name: str
    description: str
    data_type: str | None
    source: str
    gone: bool


class ObjectsReply(TypedDict):
    """One page of objects, by id; `next_cursor` is null on the last one."""

    objects: list[ObjectReply]
    next_cursor: str | None


class RejectedReply(TypedDict):
    """An item that was not taken, and why."""

    item: str
    reason: str


class ImportReply(TypedDict):
    """What the import changed, counted, and the items that it rejected."""

    imported: int
    updated: int
    unchanged: int
    gone: int
    rejected: list[RejectedReply]
    references_added: int
    references_dropped: int
    suspended: list[str]
    restored: list[str]
    degraded: list[str]


class RemovedReply(TypedDict):
    """The ids that were removed for good, and the memories that were suspended."""

    removed: list[str]
    suspended: list[str]


def object_json(item: DataObject) -> ObjectReply:
    return fill(ObjectReply, item)


def import_json(report: CatalogueImport) -> ImportReply:
    return fill(ImportReply, report, rejected=[fill(RejectedReply, entry) for entry in report.rejected])


def removed_json(removed: ObjectsRemoved) -> RemovedReply:
    return fill(RemovedReply, removed, removed=list(removed.ids))
