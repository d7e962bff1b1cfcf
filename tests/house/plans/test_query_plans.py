"""What live servers of both lines say of each query file: it compiles without a notification, returns the columns of
its header, only writes where it says so, and reaches nodes by an index."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import neo4j
import pytest

from graph.evidence import Expectation
from graph.feedback import Discovery
from graph.neo4j.queries import Query, all_queries
from graph.neo4j.store import open_store
from graph.workspaces import Reply
from kit.query_headers import header_of
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT, BANK, BANK_REFERENCES, embeddings, intent_id, memory

QUERIES = {query.path: query for query in all_queries()}
WHOLE_SCANS = {"AllNodesScan", "NodeByLabelScan", "DirectedAllRelationshipsScan", "UndirectedAllRelationshipsScan"}
# The first asks for all workspaces; the others finish a deletion, among the few nodes that are leaving, and at last
# wherever the workspace's name may be.
SCANNING = {"list_workspaces", "purge_workspace", "end_workspace"}

WHOLE_WORKSPACE = re.compile(r"INDEX \w+:\w+\(workspace\)")


@pytest.fixture(scope="module")
def driver(neo4j_server: Server) -> Iterator[neo4j.Driver]:
    """A driver to a server with our schema, on which each label, type and property has been used once."""
    store = open_store(neo4j_server.url, user=neo4j_server.user, password=neo4j_server.password)
    name, one = f"t-{uuid.uuid4().hex}", memory("one", ["account"])
    store.create_workspace(name, incarnation="first", at=AT)
    stamp = store.save_objects(name, BANK, references=BANK_REFERENCES, embeddings=embeddings({"loan": "x"})).stamp
    store.save_memories(name, [one], embeddings=embeddings({intent_id("one"): "x"}))
    made = Expectation(memory=one.id, objects=("loan",), scores=(1.0,), support=1.0)
    store.save_expectations(name, [made], stamp=stamp, form="f")
    discovery = Discovery(id="d", intent="one", retriever="blend", rule="eq1", results=("loan",), at=AT)
    store.record_discovery(name, discovery, keep=9, keep_since=AT)
    store.claim_reply(name, Reply(key="k", request="r", status=0, body="", at=AT), keep_since=AT)
    with neo4j.GraphDatabase.driver(neo4j_server.url, auth=(neo4j_server.user, neo4j_server.password)) as opened:
        yield opened
    store.delete_workspace(name)
    store.close()


def explained(driver: neo4j.Driver, query: Query) -> tuple[neo4j.ResultSummary, list[str]]:
    text = query.text
    prefixed = text.replace("CYPHER 25", "CYPHER 25 EXPLAIN", 1) if text.startswith("CYPHER 25") else f"EXPLAIN {text}"
    with driver.session() as session:
        result = session.run(prefixed, dict.fromkeys(header_of(query).parameters))
        return result.consume(), list(result.keys())


def operators(plan: dict[str, Any]) -> set[str]:
    return {plan["operatorType"].split("@")[0]}.union(*map(operators, plan.get("children", [])))


def details(plan: dict[str, Any]) -> str:
    return "\n".join([plan["args"].get("Details", ""), *map(details, plan.get("children", []))])


@pytest.mark.parametrize("path", QUERIES)
def test_a_query_is_what_its_header_says(driver: neo4j.Driver, neo4j_server: Server, path: str) -> None:
    query = QUERIES[path]
    if {"neo4j_5": "5", "neo4j_26": "2026"}[neo4j_server.line] not in query.releases:
        return  # another file serves this line, which `test_query_files` makes sure of
    summary, columns = explained(driver, query)
    assert [each.status_description for each in summary.gql_status_objects if each.is_notification] == []
    assert tuple(columns) == header_of(query).columns
    assert {"r": "read", "rw": "write", "w": "write"}[summary.query_type or ""] == query.mode
    if "replan=skip" in query.text:  # made once, perhaps over nothing, where any index looks as good as another
        assert not WHOLE_WORKSPACE.search(details(summary.plan or {}))
    if query.name not in SCANNING:
        assert not operators(summary.plan or {}) & WHOLE_SCANS


@pytest.mark.tier("landing")
def test_a_plan_that_is_kept_looks_nodes_up_however_far_statistics_lag(
    driver: neo4j.Driver, neo4j_server: Server
) -> None:
    """A server samples its indexes behind; between a bulk load and that it may take a scan for as good as a key."""
    line = {"neo4j_5": "5", "neo4j_26": "2026"}[neo4j_server.line]
    name = f"t-{uuid.uuid4().hex}"
    try:
        for label in ("DataObject", "Memory", "Chunk"):
            driver.execute_query(
                f"UNWIND range(1, 20000) AS n "
                f"CREATE (:{label} {{workspace: $name, id: 'n' + n, session: 's', archived: false, position: n}})",
                name=name,
            )
            for query in QUERIES.values():
                if line in query.releases and "replan=skip" in query.text and f":{label}" in query.text:
                    text = query.text.replace("replan=skip", "replan=force EXPLAIN", 1)
                    with driver.session() as session:
                        plan = session.run(text, dict.fromkeys(header_of(query).parameters)).consume().plan
                    assert "NodeIndexScan" not in operators(plan or {}), (label, query.path)
    finally:
        driver.execute_query("MATCH (n {workspace: $name}) DETACH DELETE n", name=name)
