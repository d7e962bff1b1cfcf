"""The JSON of a neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graph.explore import Neighbourhood
from api.forms.values import Json, instant


def graph_json(graph: Neighbourhood) -> Json:
    return {
        "nodes": [{"id": n.id, "labels": list(n.labels), "properties": _properties(n.properties)} for n in graph.nodes],
        "relationships": [
            {
                "type": r.type,
                "start": {"label": r.start[0], "id": r.start[1]},
                "end": {"label": r.end[0], "id": r.end[1]},
                "properties": _properties(r.properties),
            }
            for r in graph.relationships
        ],
        "truncated": graph.truncated,
    }


def _properties(properties: dict[str, object]) -> Json:
    return {key: _plain(value) for key, value in properties.items()}


def _plain(value: object) -> Any:
    """A property as JSON has it: instants as text, sequences as lists."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
