"""Neo4j for benchmarks: the servers of the tests, one a line, started when first asked for and stopped at the end."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from graph.errors import UnknownWorkspace
from graph.neo4j.store import Neo4jStore, open_store

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

LINES = ("neo4j_5", "neo4j_26")
BARE_NODES = """MATCH (n:DataObject {workspace: $workspace})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS"""


@cache
def _servers() -> Any:
    servers = import_module("kit.servers.neo4j_servers").Servers()
    atexit.register(servers.stop)
    return servers


@contextmanager
def opened(line: str) -> Iterator[Neo4jStore]:
    """The store over the line's server; raises, in words, where there is none."""
    server = _servers().server(line)
    store = open_store(server.url, user=server.user, password=server.password)
    try:
        yield store
    finally:
        store.close()


def drop(store: Neo4jStore, *workspaces: str) -> None:
    """Delete these workspaces where they exist, and nodes that a bare query wrote without one."""
    for workspace in workspaces:
        try:
            store.delete_workspace(workspace)
        except UnknownWorkspace:
            with store.connection.driver.session() as session:  # such a query opens its transactions itself
                session.run(BARE_NODES, workspace=workspace).consume()
