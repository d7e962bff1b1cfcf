"""Rows into a store, in batches as they come: memory holds one batch, whatever the file's size.

How a batch of one kind goes in is the business of `loading`; here are lines, their numbers, and what was wrong.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

from graph.errors import InvalidInput, UnknownChunks, UnknownObjects, UnknownSession
from graph.plain import Malformed
from graph.store import Store
from services.transfer import rows as kinds
from services.transfer.exporting import Progress
from services.transfer.lines import check_header, read_row
from services.transfer.loading import LOADERS, Loaded
from services.transfer.rows import Row, WorkspaceRow
from services.workspaces import WorkspaceService

BATCH_ROWS = 1_000
BATCH_BYTES = 16_000_000
LINE_BYTES = 64_000_000  # a longer line is passed over unread
LISTED = 1_000  # rejected lines that a report names; beyond, they are counted


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


def import_graph(
    store: Store, source: BinaryIO, *, only: Sequence[str] | None = None, progress: Progress | None = None
) -> ImportReport:
    """Make the workspaces, or `only` these, what the file says of them, row by row: replace what is there and differs,
    leave what is not in the file. The same file again changes nothing, and resumes an import that broke off.

    Returns the report, which names the lines that did not go in. Raises `InvalidInput` for a file of another form or
    version."""
    check_header(source.readline(LINE_BYTES).removeprefix(b"\xef\xbb\xbf"))
    return _Import(store, only=only, progress=progress).run(source)


@dataclass(slots=True)
class _Batch:
    """Rows that load together, by kind and key, with the numbers of their lines; a key comes once."""

    rows: dict[object, tuple[int, Row[Any]]] = field(default_factory=dict)
    size: int = 0
    load: Callable[[Store, str, Sequence[Row[Any]]], Loaded] | None = None


class _Import:
    """The state of one import."""

    def __init__(self, store: Store, *, only: Sequence[str] | None, progress: Progress | None) -> None:
        self._store = store
        self._only = only
        self._progress = progress
        self._batch = _Batch()
        self._workspace: str | None = None  # None: before the first, after a bad one, or one that is not wanted
        self._skipping = False
        self._workspaces: dict[str, None] = {}
        self._done = Loaded()
        self._rejected: list[RejectedLine] = []
        self._rejections = 0
        self._ended = False

    def run(self, source: BinaryIO) -> ImportReport:
        number = 1
        cut = False
        for number, line in enumerate(_lines(source), start=2):
            try:
                self._take(number, line)
            except Malformed as error:
                cut = line is not None and not line.endswith(b"\n")
                self._reject(number, "the file is cut off in this line" if cut else str(error))
        self._flush()
        if not self._ended and not cut:
            self._reject(number + 1, "the file ends without the line that says so: it was cut off here")
        return ImportReport(
            workspaces=tuple(self._workspaces),
            imported=self._done.imported,
            updated=self._done.updated,
            unchanged=self._done.unchanged,
            rejected=tuple(sorted(self._rejected, key=lambda it: it.line)),
            rejections=self._rejections,
            truncated=not self._ended,
        )

    def _take(self, number: int, line: bytes | None) -> None:
        if line is None:
            raise Malformed(f"it is longer than {LINE_BYTES:,} bytes")
        if self._ended and not line.strip():
            return
        if self._ended:
            raise Malformed("it comes after the line that ends the file")
        row = read_row(line)
        if row.kind is kinds.END:
            self._ended = True
            if row.value.rows != number - 2:
                raise Malformed(f"it says that there are {row.value.rows:,} rows, and there are {number - 2:,}")
        elif row.kind is kinds.WORKSPACE:
            self._flush()
            self._enter(row.value)
        elif self._workspace is not None:
            self._add(number, row, size=len(line))
        elif not self._skipping:
            raise Malformed("no workspace that could be made comes before it")

    def _enter(self, row: WorkspaceRow) -> None:
        self._workspace = None
        self._skipping = self._only is not None and row.name not in self._only
        if self._skipping:
            return
        try:
            _, created = WorkspaceService(self._store, lambda: row.created_at).create(row.name)
        except InvalidInput as error:
            raise Malformed(f"{error.asked}: {error.found}") from error
        self._workspace = row.name
        self._workspaces[row.name] = None
        self._done += Loaded(imported=1) if created else Loaded(unchanged=1)

    def _add(self, number: int, row: Row[Any], *, size: int) -> None:
        load = LOADERS[row.kind]
        if load is not self._batch.load or row.key in self._batch.rows:
            self._flush()
        self._batch.load = load
        self._batch.rows[row.key] = (number, row)
        self._batch.size += size
        if len(self._batch.rows) >= BATCH_ROWS or self._batch.size >= BATCH_BYTES:
            self._flush()

    def _flush(self) -> None:
        batch, self._batch = self._batch, _Batch()
        if batch.load is not None and self._workspace is not None:
            self._load(partial(batch.load, self._store, self._workspace), list(batch.rows.values()))
            if self._progress is not None:
                self._progress(self._done.imported + self._done.updated + self._done.unchanged, None)

    def _load(self, load: Callable[[Sequence[Row[Any]]], Loaded], rows: Sequence[tuple[int, Row[Any]]]) -> None:
        """All of them, or each half, down to the single row that the store does not take."""
        try:
            loaded = load([row for _, row in rows])
        except (InvalidInput, UnknownObjects, UnknownSession, UnknownChunks) as error:
            if len(rows) == 1:
                self._reject(rows[0][0], f"{error.asked}: {error.found}")
                return
            middle = len(rows) // 2
            self._load(load, rows[:middle])
            self._load(load, rows[middle:])
            return
        self._done += loaded
        for place, reason in loaded.refused:
            self._reject(rows[place][0], reason)

    def _reject(self, line: int, reason: str) -> None:
        self._rejections += 1
        if len(self._rejected) < LISTED:
            self._rejected.append(RejectedLine(line=line, reason=reason))


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """The lines, None for one that is too long."""
    while line := source.readline(LINE_BYTES):
        if line.endswith(b"\n") or len(line) < LINE_BYTES:
            yield line
            continue
        while (rest := source.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
            pass
        yield None
