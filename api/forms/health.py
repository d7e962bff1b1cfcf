"""The JSON of a store's health."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.store import Health
from api.forms.values import Json


def health_json(health: Health) -> Json:
    return {
        "ready": health.ready,
        "store": health.store,
        "server": health.server,
        "schema_version": health.schema,
        "problems": list(health.problems),
        "mended": list(health.mended),
    }
