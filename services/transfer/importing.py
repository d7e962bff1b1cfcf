"""Rows into a store, in batches as they come: memory holds one batch, whatever the file's size.

How a batch of one kind goes in is the business of `loading`; here are lines, their numbers, and what was wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from graph.errors import InvalidInput, UnknownChunks, UnknownObjects, UnknownSession
from graph.store import Store
from services.transfer.fields import Unreadable
from services.transfer.loading import (
    Loaded,
    load_chunks,
    load_intents,
    load_memories,
    load_objects,
    load_premises,
    load_references,
    load_sessions,
    load_tombstones,
    load_trust,
)
from services.transfer.reading import check_header, read_row
from services.transfer.reports import LISTED, ImportReport, Progress, RejectedLine
from services.transfer.rows import (
    ChunkRow,
    EndRow,
    Held,
    IntentRow,
    MemoryRow,
    ObjectRow,
    PremiseRow,
    ReferenceRow,
    SessionRow,
    TombstoneRow,
    TrustRow,
    WorkspaceRow,
)
from services.workspaces import WorkspaceService

BATCH_ROWS = 1_000
BATCH_BYTES = 16_000_000
LINE_BYTES = 64_000_000  # a longer line is passed over unread

_LOADERS: dict[type[Held], Callable[..., Loaded]] = {
    ObjectRow: load_objects,
    ReferenceRow: load_references,
    MemoryRow: load_memories,
    IntentRow: load_intents,
    TrustRow: load_trust,
    SessionRow: load_sessions,
    ChunkRow: load_chunks,
    PremiseRow: load_premises,
    TombstoneRow: load_tombstones,
}


def import_graph(
    store: Store, source: BinaryIO, *, only: Sequence[str] | None = None, progress: Progress | None = None
) -> ImportReport:
    """Makes the workspaces, or `only` these, what the file says of them, row by row: what is there and differs is
    replaced, what is not in the file stays. The same file again changes nothing, and takes up an import that broke
    off. Raises `InvalidInput` for a file of another form or version; what is wrong with a line is in the report."""
    check_header(source.readline(LINE_BYTES).removeprefix(b"\xef\xbb\xbf"))
    return _Import(store, only=only, progress=progress).run(source)


@dataclass(slots=True)
class _Batch:
    """Rows of one kind with the numbers of their lines; an id comes once."""

    rows: dict[object, tuple[int, Held]] = field(default_factory=dict)
    size: int = 0


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
            except Unreadable as error:
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
            raise Unreadable(f"it is longer than {LINE_BYTES:,} bytes")
        if self._ended and not line.strip():
            return
        if self._ended:
            raise Unreadable("it comes after the line that ends the file")
        row = read_row(line)
        match row:
            case EndRow():
                self._ended = True
                if row.rows != number - 2:
                    raise Unreadable(f"it says that there are {row.rows:,} rows, and there are {number - 2:,}")
            case WorkspaceRow():
                self._flush()
                self._enter(row)
            case _ if self._workspace is not None:
                self._add(number, row, size=len(line))
            case _ if not self._skipping:
                raise Unreadable("no workspace that could be made comes before it")

    def _enter(self, row: WorkspaceRow) -> None:
        self._workspace = None
        self._skipping = self._only is not None and row.name not in self._only
        if self._skipping:
            return
        try:
            _, created = WorkspaceService(self._store, lambda: row.created_at).create(row.name)
        except InvalidInput as error:
            raise Unreadable(f"{error.asked}: {error.found}") from error
        self._workspace = row.name
        self._workspaces[row.name] = None
        self._done += Loaded(imported=1) if created else Loaded(unchanged=1)

    def _add(self, number: int, row: Held, *, size: int) -> None:
        key = _key(row)
        if key in self._batch.rows or any(type(row) is not type(first) for _, first in self._first()):
            self._flush()
        self._batch.rows[key] = (number, row)
        self._batch.size += size
        if len(self._batch.rows) >= BATCH_ROWS or self._batch.size >= BATCH_BYTES:
            self._flush()

    def _first(self) -> list[tuple[int, Held]]:
        return [next(iter(self._batch.rows.values()))] if self._batch.rows else []

    def _flush(self) -> None:
        rows = list(self._batch.rows.values())
        self._batch = _Batch()
        if rows:
            self._load(rows)
            if self._progress is not None:
                self._progress(self._done.imported + self._done.updated + self._done.unchanged, None)

    def _load(self, rows: Sequence[tuple[int, Held]]) -> None:
        """All of them, or each half, down to the single row that the store does not take."""
        load = _LOADERS[type(rows[0][1])]
        try:
            loaded = load(self._store, self._workspace, [row for _, row in rows])
        except (InvalidInput, UnknownObjects, UnknownSession, UnknownChunks) as error:
            if len(rows) == 1:
                self._reject(rows[0][0], f"{error.asked}: {error.found}")
                return
            middle = len(rows) // 2
            self._load(rows[:middle])
            self._load(rows[middle:])
            return
        self._done += loaded
        for place, reason in loaded.refused:
            self._reject(rows[place][0], reason)

    def _reject(self, line: int, reason: str) -> None:
        self._rejections += 1
        if len(self._rejected) < LISTED:
            self._rejected.append(RejectedLine(line=line, reason=reason))


def _key(row: Held) -> object:
    match row:
        case ObjectRow():
            return row.item.id
        case ReferenceRow():
            return row.reference
        case MemoryRow():
            return row.memory.id
        case IntentRow():
            return row.id
        case TrustRow():
            return row.trust.rule
        case SessionRow():
            return row.id
        case ChunkRow():
            return row.session, row.chunk.id
        case PremiseRow():
            return row.session, row.premise.chunk, row.premise.premise
        case TombstoneRow():
            return row.session, row.tombstone.chunk


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    """The lines, None for one that is too long."""
    while line := source.readline(LINE_BYTES):
        if line.endswith(b"\n") or len(line) < LINE_BYTES:
            yield line
            continue
        while (rest := source.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
            pass
        yield None
