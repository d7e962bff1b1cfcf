"""The Neo4j store as one whole: opened, asked for its health, mended, and closed here."""

from __future__ import annotations

from graph.errors import InvalidSettings, RetinueError
from graph.neo4j.catalogue import CatalogueQueries
from graph.neo4j.chunks import ChunkQueries
from graph.neo4j.connection import Connection, Notifications
from graph.neo4j.discoveries import DiscoveryQueries
from graph.neo4j.memories import MemoryQueries
from graph.neo4j.premises import PremiseQueries
from graph.neo4j.schema import applied, index_problems, migrate
from graph.neo4j.sessions import SessionQueries
from graph.neo4j.workspaces import WorkspaceQueries
from graph.store import Health


class Neo4jStore(
    WorkspaceQueries,
    CatalogueQueries,
    MemoryQueries,
    DiscoveryQueries,
    SessionQueries,
    ChunkQueries,
    PremiseQueries,
):
    """See `graph.store.Store`."""

    def __init__(self, connection: Connection, *, mended: tuple[str, ...] = ()) -> None:
        self.connection = connection
        self.url = connection.url
        self._mended = mended

    def health(self) -> Health:
        schema = 0
        server = f"Neo4j {self.connection.capabilities.version}"
        try:
            schema = max(applied(self.connection), default=0)
            problems = tuple(index_problems(self.connection))
        except RetinueError as error:
            problems = (str(error),)
        return Health(
            ready=not problems,
            store=self.url,
            server=server,
            schema=schema,
            problems=problems,
            mended=self._mended,
        )

    def close(self) -> None:
        self.connection.close()


def open_store(
    url: str,
    *,
    user: str,
    password: str,
    database: str | None = None,
    notifications: Notifications = "quiet",
    pool: int = 50,
) -> Neo4jStore:
    """Opens the store at a `neo4j://` or `bolt://` address (also `+s`, `+ssc`) and brings its schema up to date.

    With `notifications="strict"` whatever the server remarks on a query is an error (for tests). Raises
    `InvalidSettings`, `StoreUnavailable` or `SchemaMismatch`.
    """
    if not user or not password:
        raise InvalidSettings(
            f"open {url}",
            found="a user without a password" if user else "no user",
            hint="Set both RETINUE_NEO4J_USER and RETINUE_NEO4J_PASSWORD",
        )
    connection = Connection(
        url, user=user, password=password, database=database, notifications=notifications, pool=pool
    )
    try:
        mended = migrate(connection)
    except BaseException:
        connection.close()
        raise
    return Neo4jStore(connection, mended=mended)
