"""One driver and what the server behind it can do: runs query files in managed transactions.

Every query file returns one record, and none where its workspace is not there; what the record means is the business
of the nouns. Here are sessions, retries, and notifications.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    Driver,
    GraphDatabase,
    ManagedTransaction,
    NotificationMinimumSeverity,
    Record,
    unit_of_work,
)
from neo4j.exceptions import ClientError
from neo4j.vector import Vector

from graph.embeddings import FloatArray
from graph.errors import InvalidSettings, SchemaMismatch, StoreUnavailable, UnknownSession, UnknownWorkspace
from graph.evidence import EXACT_LIMIT
from graph.neo4j.failures import translated
from graph.neo4j.mapping import HalfRead, batches
from graph.neo4j.queries import Query, Release, load_queries

T = TypeVar("T")
Notifications = Literal["quiet", "strict"]

READ_SECONDS = 180.0  # then the server stops it: a lost client must not keep it busy; a cold one plans for a minute
WRITE_SECONDS = 600.0
RETRY_SECONDS = 15.0  # how long the driver repeats a transaction before its error is raised
CONNECT_SECONDS = 5.0
SETTLING_TRIES = 50  # reads repeated while a commit is seen in part, a few milliseconds apart
SETTLING_SECONDS = 0.01
WRITE_BATCH = 1_000  # rows of one statement
VECTOR_BATCH = 10_000  # vectors in one transaction, and in one record: a server holds either in its memory as a whole
OLDEST = (5, 26)
LOST_NODE = "Neo.ClientError.Statement.EntityNotFound"


# Our errors say what it logs of a server that does not answer; without a handler it would go to standard error.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


class Notified(Exception):
    """The server sent a notification on a query, and the store was opened with notifications as errors."""


class Run(Protocol):
    """Run one query by name within a transaction and return its one record.

    Raises `UnknownWorkspace` and `UnknownSession`.
    """

    def __call__(self, name: str, /, **parameters: object) -> Record: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What the server can do, asked once: version, release of query files, whether vectors are parameters."""

    version: str
    release: Release
    vectors: bool


class Connection:
    """A driver with the query files that fit its server. Safe to use from several threads.

    `exact_limit`: up to so many objects, and intents, all are scored; beyond it the vector indexes are asked.
    """

    def __init__(
        self,
        url: str,
        *,
        user: str,
        password: str,
        database: str | None = None,
        notifications: Notifications = "quiet",
        pool: int = 50,
        retry_seconds: float = RETRY_SECONDS,
        exact_limit: int = EXACT_LIMIT,
        write_batch: int = WRITE_BATCH,
        vector_batch: int = VECTOR_BATCH,
    ) -> None:
        self.url = re.sub(r"//.*@", "//", url)  # greedy: a password may hold a slash
        _check_address(url, shown=self.url)
        self.database = database
        self.exact_limit = exact_limit
        self.vector_batch = vector_batch
        self._write_batch = write_batch
        self._strict = notifications == "strict"
        lowest = NotificationMinimumSeverity.INFORMATION if self._strict else NotificationMinimumSeverity.OFF
        with translated("open the store", url=self.url):
            self.driver: Driver = GraphDatabase.driver(
                url,
                auth=(user, password),
                max_connection_pool_size=pool,
                connection_timeout=CONNECT_SECONDS,
                connection_acquisition_timeout=60.0,  # a small pool makes its callers wait, not fail
                max_transaction_retry_time=retry_seconds,
                liveness_check_timeout=30.0,
                notifications_min_severity=lowest,
                user_agent="retinue",
                telemetry_disabled=True,
            )
        try:
            with translated("open the store", url=self.url):
                self.capabilities = self._ask_capabilities()
            self.queries: Mapping[str, Query] = load_queries(self.capabilities.release)
            self._planning = {name: Lock() for name in self.queries}
            self._planned: set[str] = set()
        except BaseException:
            self.driver.close()
            raise

    def close(self) -> None:
        self.driver.close()

    def run(self, name: str, /, **parameters: object) -> Record:
        """Run one query in a transaction of its own, read or write as its header says, and return its record."""
        return self.transact(lambda run: run(name, **parameters), mode=self.queries[name].mode, asked=name)

    def read(self, name: str, understand: Callable[[Record], T], /, **parameters: object) -> T:
        """Run a reading query and return what `understand` makes of its record, again where that raises `HalfRead`."""
        with self._planned_once(name):
            return self.transact(lambda run: understand(run(name, **parameters)), mode="read", asked=name)

    def read_settled(self, name: str, understand: Callable[[Record], T], /, **parameters: object) -> T:
        """As `read`, again while the record says that it is not settled: a reader waits for no lock, and may see a
        commit in part."""
        for _ in range(SETTLING_TRIES):
            settled, found = self.read(name, lambda row: (row["settled"], understand(row)), **parameters)
            if settled:
                break
            time.sleep(SETTLING_SECONDS)
        return found

    def batches(self, rows: Sequence[T], *, share: int = 1) -> list[Sequence[T]]:
        """Return the rows in batches, one for each statement, of the usual size divided by `share`; at least one."""
        size = max(1, self._write_batch // share)
        return list(batches(rows, size=size)) or [[]]

    @contextmanager
    def _planned_once(self, name: str) -> Iterator[None]:
        """Let the first run of a query go alone. A server would plan a new query once for each concurrent caller, with
        seconds of work for the longest; those that wait find the plan made."""
        first = False
        if name not in self._planned:
            self._planning[name].acquire()
            first = name not in self._planned
            if not first:
                self._planning[name].release()
        try:
            yield
            self._planned.add(name)
        finally:
            if first:
                self._planning[name].release()

    def transact(self, work: Callable[[Run], T], *, mode: Literal["read", "write"], asked: str) -> T:
        """Call `work` in one transaction, which may be repeated; what it raises rolls everything back."""

        def once(transaction: ManagedTransaction) -> T:
            def run(name: str, /, **parameters: object) -> Record:
                return self._run(transaction, self.queries[name], parameters)

            return work(run)

        access = READ_ACCESS if mode == "read" else WRITE_ACCESS
        bounded = unit_of_work(timeout=READ_SECONDS if mode == "read" else WRITE_SECONDS, metadata={"retinue": asked})
        with (
            translated(asked.replace("_", " "), url=self.url),
            self.driver.session(database=self.database, default_access_mode=access) as session,
        ):
            begin = session.execute_read if mode == "read" else session.execute_write
            for left in reversed(range(SETTLING_TRIES)):
                try:
                    return begin(bounded(once))
                except ClientError as error:
                    # What it had found was deleted before it was locked, or read: the next try does not find it.
                    if error.code != LOST_NODE or not left:
                        raise
                except HalfRead:
                    if not left:
                        break
                time.sleep(SETTLING_SECONDS)
        raise StoreUnavailable(
            asked.replace("_", " "),
            found=f"what it reads was deleted during the read, {SETTLING_TRIES} times in a row",
            hint="Try again in a moment",
        )

    def execute(self, text: str, /, **parameters: object) -> list[Record]:
        """Run a statement that is no query file: schema scripts, and questions about the server itself."""
        silent = NotificationMinimumSeverity.OFF
        with self.driver.session(database=self.database, notifications_min_severity=silent) as session:
            # Repeated by the driver after a deadlock, as of two processes that both bring a schema up to date.
            return session.execute_write(lambda transaction: list(transaction.run(text, parameters)))

    def vector(self, row: FloatArray) -> Vector | list[float]:
        """Return a vector as a parameter, in the fastest form that the server takes."""
        return Vector.from_numpy(row) if self.capabilities.vectors else row.tolist()

    def embedding(self, found: tuple[FloatArray, int] | None) -> dict[str, Any]:
        """Return the parts of a row that say which embedding to store; null where there is none."""
        if found is None:
            return {"embedding": None}
        vector, digest = found
        return {"embedding": self.vector(vector), "embedding_digest": digest}

    def _run(self, transaction: ManagedTransaction, query: Query, parameters: Mapping[str, Any]) -> Record:
        result = transaction.run(query.text, parameters)  # type: ignore[arg-type]  # text comes from our own files
        records = list(result)
        if self._strict:
            remarks = [status for status in result.consume().gql_status_objects if status.is_notification]
            if remarks:
                raise Notified(f"cypher/{query.path}: {'; '.join(status.status_description for status in remarks)}")
        if not records:
            raise UnknownWorkspace(parameters["workspace"])
        (record,) = records
        if "session" in parameters and not record.get("there", record.get("session")):
            raise UnknownSession(parameters["workspace"], parameters["session"])
        return record

    def _ask_capabilities(self) -> Capabilities:
        version = next(
            str(record["versions"][0])
            for record in self.execute("CALL dbms.components() YIELD name, versions RETURN name, versions")
            if record["name"] == "Neo4j Kernel"
        )
        number = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
        if number < OLDEST:
            raise SchemaMismatch(
                "open the store",
                found=f"{self.url} runs Neo4j {version}",
                hint="Use Neo4j 5.26 (the long-term line), or 2026.1 and newer",
            )
        protocol = self.driver.get_server_info().protocol_version
        return Capabilities(version=version, release="2026" if number[0] >= 2026 else "5", vectors=protocol >= (6, 0))


def _check_address(url: str, *, shown: str) -> None:
    """Refuse an unreadable host or port: the driver would look the port up as the name of a service."""
    try:
        _ = urlsplit(url).port
    except ValueError:  # its words would quote what may be part of a password
        raise InvalidSettings(
            f"open {shown}",
            found="an address that cannot be read: its host or its port is none",
            hint="Set RETINUE_STORE to neo4j://HOST:PORT or bolt://HOST:PORT",
        ) from None
