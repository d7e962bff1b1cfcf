"""Reports of finished exports and imports."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int | None], None]
LISTED = 1_000  # rejected lines that a report names; beyond, they are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """`rows` counts the lines between the first and the last one. `moved` are workspaces that were written to
    meanwhile: their rows are not of one moment."""

    workspaces: tuple[str, ...]
    rows: int
    moved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedLine:
    """A line of the file, counted from 1, that was not imported, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """How many rows were not in the store, differed from it, and were the same.

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
        """All rows that are in the store now."""
        return self.imported + self.updated + self.unchanged
