"""What is told of an export or an import when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int | None], None]
LISTED = 1_000  # rejected lines that a report names; beyond, they are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """`rows` are the lines between the first and the last one. `moved` are workspaces that somebody wrote to meanwhile:
    their rows are each as they were when it was their turn, and not of one moment."""

    workspaces: tuple[str, ...]
    rows: int
    moved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedLine:
    """A line of the file, counted from 1, that did not go in, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Rows that were not there, those that were other than in the file, and those just as in the file.

    `rejected` names the first LISTED of `rejections`. `truncated`: the file ended before its last line.
    """

    workspaces: tuple[str, ...]
    imported: int
    updated: int
    unchanged: int
    rejected: tuple[RejectedLine, ...]
    rejections: int
    truncated: bool

    @property
    def rows(self) -> int:
        """All that went in, or was there."""
        return self.imported + self.updated + self.unchanged
