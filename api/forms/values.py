"""Plain values that several reply forms share."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass


Json = dict[str, Any]


def instant(at: datetime) -> str:
    """An instant in RFC 3339, UTC."""
    return at.isoformat().replace("+00:00", "Z")
