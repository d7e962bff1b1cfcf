"""A workspace as `export_graph` writes it, and written lines into a store: what tests of moving graphs begin with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from graph.store import Store
from services.transfer import ImportReport, export_graph, import_graph


def exported(store: Store, *workspaces: str) -> bytes:
    out = BytesIO()
    export_graph(store, out.write, only=workspaces)
    return out.getvalue()


def imported(store: Store, data: bytes, *, only: Sequence[str] | None = None) -> ImportReport:
    return import_graph(store, BytesIO(data), only=only)


def changed(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The same lines, each row after `change` (which changes it in place) in an equally canonical form."""
    head, *rows = data.decode().splitlines()
    lines = [head]
    for line in rows:
        row = json.loads(line)
        change(row)
        lines.append(json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
    return "\n".join(lines).encode() + b"\n"
