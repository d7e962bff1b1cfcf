"""Each query that `docs/neo4j-browser.md` offers runs on each line of Neo4j, finds something, and draws no warning."""

from __future__ import annotations

import re
import uuid

import neo4j
import pytest

from api.cli.demo import run_demo
from api.wiring import Services
from graph.neo4j import open_store
from kit.installation import CHECKOUT
from kit.servers.neo4j_servers import Server
from services.domains import load_domain
from services.sessions import GivenChunk

PAGE = (CHECKOUT / "docs" / "neo4j-browser.md").read_text(encoding="utf-8")


def test_every_query_of_the_page_finds_something(neo4j_server: Server) -> None:
    queries = re.findall(r"^```cypher\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(queries) >= 5
    store = open_store(neo4j_server.url, user=neo4j_server.user, password=neo4j_server.password)
    workspace = f"p-{uuid.uuid4().hex}"
    credentials = (neo4j_server.user, neo4j_server.password)
    try:
        services = Services(store, encoder="none")
        run_demo(services, workspace, load_domain("czech_bank"))
        services.discovery.refresh(workspace, limit=100)
        keep_a_session(services, workspace)
        with neo4j.GraphDatabase.driver(neo4j_server.url, auth=credentials) as driver:
            for query in queries:
                found = driver.execute_query(query, {"workspace": workspace}, routing_="r")
                assert found.records, query
                assert not found.summary.gql_status_objects[1:], query
        services.workspaces.delete(workspace)
    finally:
        store.close()


def keep_a_session(services: Services, workspace: str) -> None:
    """A session with a premise of which something is believed."""
    services.sessions.create(workspace, "s")
    chunks = [
        GivenChunk(id="permit", text="Permit P-17 was issued to Amara."),
        GivenChunk(id="rule", text="The holder of P-17 may publish.", premises=("permit",)),
    ]
    services.sessions.add_chunks(workspace, "s", chunks)
    answer = services.sessions.retain(workspace, "s", "May she publish?", budget_tokens=20)
    assert services.sessions.note_beliefs(workspace, "s", answer) == 1


def test_the_page_says_which_workspace_it_looks_at() -> None:
    assert ":param workspace =>" in PAGE


@pytest.mark.parametrize("label", ["Table", "Attribute", "Memory", "Intent", "Session", "Chunk"])
def test_the_page_walks_the_whole_graph(label: str) -> None:
    assert f":{label}" in PAGE
