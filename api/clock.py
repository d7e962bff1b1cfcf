"""The clock that everything is given: aware UTC, so that a test can hold another."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
