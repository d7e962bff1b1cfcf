"""The JSON of data objects and of catalogue imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.catalogue import DataObject
    from services.catalogue import CatalogueImport
from api.forms.values import Json


def object_json(item: DataObject) -> Json:
    return {
        "id": item.id,
        "kind": item.kind,
        "table": item.table,
        "name": item.name,
        "description": item.description,
        "data_type": item.data_type,
        "source": item.source,
        "gone": item.gone,
    }


def import_json(report: CatalogueImport) -> Json:
    return {
        "imported": report.imported,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "gone": report.gone,
        "rejected": [{"item": entry.item, "reason": entry.reason} for entry in report.rejected],
        "references_added": report.references_added,
        "references_dropped": report.references_dropped,
        "suspended": list(report.suspended),
        "restored": list(report.restored),
        "degraded": list(report.degraded),
    }
