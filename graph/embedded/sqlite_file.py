"""The SQLite file itself: opened or created, its schema checked, its errors translated, its locks waited for."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from graph.embedded.lock_wait import BUSY_HINT, LockWait
from graph.errors import RetinueError, SchemaMismatch, StoreUnavailable

T = TypeVar("T")

SCHEMA = 2
APPLICATION = 0x52_54_4E_55  # "RTNU", in the file's header: tells our files from other people's

# rows are appended: the number, not the key, is the table's order, so that newer rows are one short range
TABLES = (
    """CREATE TABLE records (
        sequence INTEGER PRIMARY KEY,
        workspace TEXT NOT NULL,
        kind INTEGER NOT NULL,
        id TEXT NOT NULL,
        version INTEGER NOT NULL,
        body TEXT,
        vector BLOB
    )""",
    "CREATE UNIQUE INDEX records_by_key ON records (workspace, kind, id)",
    "CREATE INDEX tombstones ON records (sequence) WHERE body IS NULL",
    f"PRAGMA user_version = {SCHEMA}",
    f"PRAGMA application_id = {APPLICATION}",
)


class SqliteFile:
    """One connection to the file, for one store."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self.errors("open"):
            try:
                self.connection = self._open_to_write()
            except (OSError, sqlite3.OperationalError) as error:
                if not path.is_file() or is_busy(error):
                    raise
                self.connection = self._open_to_read()
            self._inode = path.stat().st_ino

    def patiently(self, step: Callable[[], T]) -> T:
        """Return the result of the step, tried again while another process holds the lock."""
        patience = LockWait()
        while True:
            try:
                return step()
            except sqlite3.OperationalError as error:
                if not is_busy(error) or not patience.pause():
                    raise

    def check_in_place(self) -> None:
        """Raise if the file was removed or replaced: what is written to it would be lost."""
        if not self.path.exists() or self.path.stat().st_ino != self._inode:
            raise FileNotFoundError("the file was removed or replaced while it was open")

    @contextmanager
    def errors(self, doing: str) -> Iterator[None]:
        """Raise `StoreUnavailable` for the errors of SQLite and of the file system."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StoreUnavailable(
                f"to {doing} the store file {self.path}", found=str(error), hint=_hint(error)
            ) from error

    def _open_to_write(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = _connect(f"{self.path.resolve().as_uri()}?mode=rwc")
        try:
            self.patiently(lambda: self._prepare(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        self._check(connection)
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise OSError(
                f"its file system allows the journal mode {mode!r} only, which several processes cannot share"
            )
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")  # what was forgotten must not linger in free pages
        connection.execute("PRAGMA journal_size_limit = 67108864")
        connection.execute("BEGIN IMMEDIATE")
        try:
            if self._check(connection):  # again: another process may have been faster
                for statement in TABLES:
                    connection.execute(statement)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _open_to_read(self) -> sqlite3.Connection:
        """A file, or a folder, that may not be written: without a WAL beside it, it is all there is and stays so."""
        alone = not self.path.with_name(f"{self.path.name}-wal").exists()
        connection = _connect(f"{self.path.resolve().as_uri()}?mode=ro{'&immutable=1' if alone else ''}")
        try:
            if self._check(connection):
                raise _mismatch(self.path, found="an empty file that may not be written")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> bool:
        """Return whether the file is empty. Raises `SchemaMismatch` for one that is not ours, or of another schema."""
        # one statement, one snapshot: another process may be making the file at this moment
        application, schema, tables = connection.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
            " FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if tables and application != APPLICATION:
            raise _mismatch(self.path, found="an SQLite file that Retinue did not make")
        if schema not in (0, SCHEMA):
            raise _mismatch(self.path, found=f"schema {schema}, while this version of Retinue works with {SCHEMA}")
        return not schema


def _connect(uri: str) -> sqlite3.Connection:
    # one connection for all threads: the store's lock keeps them apart
    return sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)


def is_busy(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte: extended codes say why it is busy
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _mismatch(path: Path, *, found: str) -> RetinueError:
    return SchemaMismatch(
        f"to open the store file {path}",
        found=found,
        hint="Name another file with RETINUE_STORE=sqlite:///PATH; what an older Retinue wrote, "
        "export with the version that wrote it (`retinue export`) and import here",
    )


def _hint(error: BaseException) -> str:
    if is_busy(error):
        return BUSY_HINT
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
        return "The file is no SQLite database: name another one with RETINUE_STORE=sqlite:///PATH"
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
        return "The file is damaged, or was changed by another program: put a copy of it back"
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
        return "Make room on the disk and try again; nothing of this write was kept"
    if isinstance(error, FileNotFoundError):
        return "Put the file back and start again"
    return "See that the folder and the file may be written, or name another one with RETINUE_STORE=sqlite:///PATH"
