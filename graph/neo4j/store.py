"""The Neo4j store as one whole: open it, report its health, and close it."""

from graph.errors import InvalidSettings, RetinueError
from graph.evidence import EXACT_LIMIT
from graph.neo4j.catalogue import CatalogueQueries
from graph.neo4j.changes import ChangeQueries
from graph.neo4j.chunks import ChunkQueries
from graph.neo4j.connection import VECTOR_BATCH, WRITE_BATCH, Connection, Notifications
from graph.neo4j.embeddings import EmbeddingQueries
from graph.neo4j.evidence import EvidenceQueries
from graph.neo4j.explore import ExploreQueries
from graph.neo4j.feedback import FeedbackQueries
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
    EvidenceQueries,
    ChangeQueries,
    EmbeddingQueries,
    FeedbackQueries,
    ExploreQueries,
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
            ready=not problems, store=self.url, server=server, schema=schema, problems=problems, mended=self._mended
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
    exact_limit: int = EXACT_LIMIT,
    write_batch: int = WRITE_BATCH,
    vector_batch: int = VECTOR_BATCH,
) -> Neo4jStore:
    """Open the store at a `neo4j://` or `bolt://` address (also `+s`, `+ssc`) and bring its schema up to date.

    With `notifications="strict"` each notification of the server on a query is an error (for tests). Beyond
    `exact_limit` objects or intents the vector indexes are asked; `write_batch` rows go into one statement,
    `vector_batch` vectors into one transaction. Raises `InvalidSettings`, `StoreUnavailable` or `SchemaMismatch`.
    """
    if not user or not password:
        raise InvalidSettings(
            f"open {url}",
            found="a user without a password" if user else "no user",
            hint="Set both RETINUE_NEO4J_USER and RETINUE_NEO4J_PASSWORD",
        )
    connection = Connection(
        url,
        user=user,
        password=password,
        database=database,
        notifications=notifications,
        pool=pool,
        exact_limit=exact_limit,
        write_batch=write_batch,
        vector_batch=vector_batch,
    )
    try:
        mended = migrate(connection)
    except BaseException:
        connection.close()
        raise
    return Neo4jStore(connection, mended=mended)
