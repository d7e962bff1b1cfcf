"""Sessions: their counts, and the port that creates, lists and deletes them.

Chunks and premises of a session have modules of their own.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session and what it holds: live `chunks` with their `tokens`, `archived` ones, `premises` among all of them,
    and `tombstones`.

    `added` is the position of the next chunk, so it counts all that were ever added. `version` grows with each write
    to its chunks or premises, beliefs and embeddings aside; `incarnation` differs between two sessions that had the
    same id in turn.
    """

    id: str
    incarnation: str
    created_at: datetime
    version: int = 0
    added: int = 0
    chunks: int = 0
    tokens: int = 0
    archived: int = 0
    premises: int = 0
    tombstones: int = 0


class Sessions(Protocol):
    """Sessions. A write to one moves neither the workspace's version nor another session's.

    Operations here and on chunks and premises raise `UnknownSession` if there is none of the id."""

    def save_session(
        self, workspace: str, session: str, *, incarnation: str, at: datetime, added: int = 0
    ) -> tuple[Session, bool]:
        """Create a session unless it exists. Returns it, and whether this call created it.

        An existing one keeps its contents; its `created_at` becomes the earlier, its `added` the larger of the two."""

    def show_session(self, workspace: str, session: str) -> Session:
        """Return the session with its counts, at a cost that does not depend on its size."""

    def list_sessions(self, workspace: str, *, after: str | None = None, limit: int = 100) -> tuple[Session, ...]:
        """Return at most `limit` sessions by id, after the id `after`."""

    def delete_session(self, workspace: str, session: str) -> Session:
        """Delete the session with chunks, archive, premises and tombstones. Returns it as it was."""
