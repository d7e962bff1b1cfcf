"""The clock of the services: aware UTC. Tests pass another."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
