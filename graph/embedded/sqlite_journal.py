"""The journal on disk: one SQLite file (WAL, every commit synced) that several processes may have open at once.

It holds the latest state of each record under a number that grows with every write, so that a reader that comes again
reads only what is newer; deleted records stay as tombstones until every reader must have seen them.
"""

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from itertools import count

from graph.embedded.journal import Journal, Update
from graph.embedded.kinds import Change, Kind
from graph.embedded.sqlite_file import SqliteFile, is_busy
from graph.embedded.workspace_graph import WORKSPACE
from graph.errors import StoreUnavailable

LAG = 100_000  # a reader further behind loads everything, so older tombstones can be dropped
SWEEP = 10_000  # records written between two searches for such tombstones

_RECORD = "workspace, kind, id, version, body, vector"


class SqliteJournal(Journal):
    """See `graph.embedded.journal.Journal`."""

    def __init__(self, file: SqliteFile, kinds: Iterable[Kind]) -> None:
        self._kinds = {kind.number: kind for kind in kinds}
        self._file = file
        self._db = file.connection
        self._seen = 0
        self._swept = 0

    def read(self) -> Update | None:
        with self._file.errors("read"):
            latest = self._file.patiently(self._latest)
            if latest == self._seen:
                return None
            if not self._seen or latest - self._seen > LAG:
                return Update(changes=self._everything(), complete=True)
            changes = self._file.patiently(self._newer)
            return Update(changes=(change for change in changes))

    def rewind(self) -> None:
        self._seen = 0

    def begin(self) -> bool:
        with self._file.errors("write to"):
            self._file.check_in_place()
            try:
                self._db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if is_busy(error):
                    return False
                raise
            return True

    def end(self) -> None:
        if self._db.in_transaction:
            with self._file.errors("write to"):
                self._db.execute("ROLLBACK")

    def commit(self, changes: Sequence[Change]) -> None:
        with self._file.errors("write to"):
            numbers = count(self._seen + 1)
            for change in changes:
                if change.kind is WORKSPACE and change.value is None:
                    self._db.execute("DELETE FROM records WHERE workspace = ?", (change.workspace,))
            self._db.executemany(
                f"INSERT OR REPLACE INTO records (sequence, {_RECORD}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (next(numbers), it.workspace, it.kind.number, it.id, it.version, *it.kind.write(it.value))
                    for it in changes
                ),
            )
            self._sweep()
            self._db.execute("COMMIT")
        self._seen += len(changes)

    def problems(self) -> tuple[str, ...]:
        try:
            self._file.check_in_place()
            self._file.patiently(self._latest)
        except (OSError, sqlite3.Error) as error:
            return (f"the store file {self._file.path} cannot be used: {error}",)
        return ()

    def close(self) -> None:
        self._db.close()

    def _latest(self) -> int:
        (latest,) = self._db.execute("SELECT max(sequence) FROM records").fetchone()
        return latest or 0

    def _newer(self) -> list[Change]:
        rows = self._db.execute(
            f"SELECT sequence, {_RECORD} FROM records WHERE sequence > ? ORDER BY sequence", (self._seen,)
        ).fetchall()
        changes = sorted((self._change(*row) for _, *row in rows), key=lambda change: change.kind.number)
        if rows:
            self._seen = rows[-1][0]
        return changes

    def _everything(self) -> Generator[Change]:
        """All live records by workspace, kind and id, read as they are asked for; seen only once all were."""
        owner = not self._db.in_transaction
        if owner:
            with self._file.errors("read"):
                self._file.patiently(self._begin_reading)
        try:
            # the index gives the order; without the hint SQLite would sort all the embeddings through a file
            statement = (
                f"SELECT {_RECORD} FROM records INDEXED BY records_by_key WHERE body IS NOT NULL"
                " ORDER BY workspace, kind, id"
            )
            with self._file.errors("read"):
                latest = self._latest()
                for row in self._db.execute(statement):
                    yield self._change(*row)
            self._seen = latest
        finally:
            if owner and self._db.in_transaction:  # a damaged file may have ended it
                self._db.execute("ROLLBACK")

    def _begin_reading(self) -> None:
        self._db.execute("BEGIN")
        try:
            self._latest()  # only a first read takes the snapshot
        except sqlite3.Error:
            self._db.execute("ROLLBACK")
            raise

    def _change(
        self, workspace: str, kind: int, record_id: str, version: int, body: str | None, vector: bytes | None
    ) -> Change:
        try:
            known = self._kinds[kind]
            return Change(workspace, known, record_id, version, known.read(record_id, body, vector))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            name = self._kinds[kind].name if kind in self._kinds else f"kind {kind}"
            raise StoreUnavailable(
                f"to read the store file {self._file.path}",
                found=f"the record of {name} {record_id!r} in workspace {workspace!r} is not in the form expected",
                hint="The file is damaged, or was changed by another program: put a copy of it back",
            ) from error

    def _sweep(self) -> None:
        if self._seen - self._swept >= SWEEP:
            self._db.execute("DELETE FROM records WHERE body IS NULL AND sequence <= ?", (self._seen - LAG,))
            self._swept = self._seen
