"""Opening a store on a live server: the schema, who may not, and what is said where something is missing."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from neo4j import Record

from graph.errors import InvalidSettings, SchemaMismatch, StoreUnavailable
from graph.neo4j import Neo4jStore, open_store
from graph.neo4j.connection import Connection
from graph.neo4j.mapping import HalfRead, check_whole
from graph.neo4j.schema import applied, expected_indexes, index_states, load_scripts
from kit.servers.neo4j_servers import Server


@pytest.fixture
def opened(neo4j_server: Server) -> Iterator[Neo4jStore]:
    store = open_store(neo4j_server.url, user=neo4j_server.user, password=neo4j_server.password)
    yield store
    store.close()


def again(server: Server) -> None:
    open_store(server.url, user=server.user, password=server.password).close()


def test_each_script_is_recorded_with_its_checksum(opened: Neo4jStore) -> None:
    scripts = load_scripts(opened.connection.capabilities.release)
    assert [script.number for script in scripts] == list(range(1, len(scripts) + 1))
    assert applied(opened.connection) == {script.number: (script.name, script.checksum) for script in scripts}
    assert opened.health().schema == scripts[-1].number


def test_all_indexes_are_online(opened: Neo4jStore) -> None:
    states = index_states(opened.connection)
    assert set(states) == set(expected_indexes(opened.connection.capabilities.release))
    assert {"object_embedding", "intent_embedding", "object_text", "object_id"} <= set(states)
    assert set(states.values()) == {"ONLINE"}


@pytest.mark.fault(103)
def test_two_processes_may_bring_the_schema_up_to_date_at_the_same_time(
    neo4j_server: Server, opened: Neo4jStore
) -> None:
    opened.connection.execute("MATCH (s:Schema) DELETE s")
    opened.connection.execute("DROP CONSTRAINT tombstone_id")
    opened.connection.execute("DROP INDEX tombstone_order")
    with ThreadPoolExecutor(3) as pool:
        for each in [pool.submit(again, neo4j_server) for _ in range(3)]:
            each.result()
    assert set(index_states(opened.connection).values()) == {"ONLINE"}


def test_a_newer_schema_is_refused(neo4j_server: Server, opened: Neo4jStore) -> None:
    opened.connection.execute("CREATE (:Schema {number: 999, name: 'V999__later.cypher', checksum: ''})")
    try:
        with pytest.raises(SchemaMismatch, match="999"):
            again(neo4j_server)
    finally:
        opened.connection.execute("MATCH (s:Schema {number: 999}) DELETE s")
    again(neo4j_server)


@pytest.mark.fault(103)
def test_a_database_of_an_older_form_is_refused_with_what_to_do(neo4j_server: Server, opened: Neo4jStore) -> None:
    """It has scripts 1 to 8, the first under the name and with the checksum that it had then."""
    opened.connection.execute(
        "MATCH (s:Schema {number: 1}) SET s.kept = s.checksum, s.checksum = '0c5bd4b0a5d1f2a3' "
        "WITH s UNWIND range(5, 8) AS n CREATE (:Schema {number: n, name: 'V00' + n + '__old.cypher', checksum: ''})"
    )
    try:
        with pytest.raises(SchemaMismatch, match=r"retinue export` with the commit that wrote it.*`retinue import`"):
            again(neo4j_server)
    finally:
        opened.connection.execute("MATCH (s:Schema) WHERE s.number > 4 DELETE s")
        opened.connection.execute("MATCH (s:Schema {number: 1}) SET s.checksum = s.kept REMOVE s.kept")
    again(neo4j_server)


def test_an_edited_script_is_refused(neo4j_server: Server, opened: Neo4jStore) -> None:
    opened.connection.execute("MATCH (s:Schema {number: 2}) SET s.kept = s.checksum, s.checksum = 'another'")
    try:
        with pytest.raises(SchemaMismatch, match="V002"):
            again(neo4j_server)
    finally:
        opened.connection.execute("MATCH (s:Schema {number: 2}) SET s.checksum = s.kept REMOVE s.kept")
    again(neo4j_server)


def test_a_wrong_password_is_said_without_it(neo4j_server: Server) -> None:
    with pytest.raises(InvalidSettings, match="RETINUE_NEO4J_PASSWORD") as raised:
        open_store(neo4j_server.url, user=neo4j_server.user, password="not-the-secret")
    assert "not-the-secret" not in str(raised.value)
    assert raised.value.__cause__ is not None


def test_an_unknown_database_is_said(neo4j_server: Server) -> None:
    with pytest.raises(InvalidSettings, match="RETINUE_NEO4J_DATABASE"):
        open_store(neo4j_server.url, user=neo4j_server.user, password=neo4j_server.password, database="nowhere")


@pytest.mark.parametrize(("user", "password"), [("neo4j", ""), ("", "secret"), ("", "")])
def test_half_a_set_of_credentials_is_refused(user: str, password: str) -> None:
    with pytest.raises(InvalidSettings, match="RETINUE_NEO4J_USER"):
        open_store("bolt://127.0.0.1:1", user=user, password=password)


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nothing can answer there
        with pytest.raises(StoreUnavailable, match="Check that Neo4j runs"):
            Connection(f"bolt://127.0.0.1:{taken.getsockname()[1]}", user="u", password="p", retry_seconds=1)


@pytest.mark.parametrize(
    "url", ["neo5j://somewhere", "neo4j://localhost:notaport", "bolt://localhost:notaport", "neo4j://[::1"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings, match="RETINUE_STORE"):
        Connection(url, user="u", password="p")


def test_an_address_is_refused_without_its_password() -> None:
    with pytest.raises(InvalidSettings, match="neo4j://somewhere") as caught:
        Connection("neo4j://u:hidden/word@somewhere", user="u", password="p")
    assert "hidden" not in str(caught.value)


def test_the_driver_says_nothing_of_its_own() -> None:
    code = (
        "from graph.errors import StoreUnavailable\n"
        "from graph.neo4j import open_store\n"
        "try:\n    open_store('neo4j://127.0.0.1:1', user='u', password='p')\n"
        "except StoreUnavailable:\n    print('unavailable')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("unavailable\n", "")


def test_what_was_met_half_deleted_is_read_again(opened: Neo4jStore) -> None:
    met = []

    def understand(row: Record) -> int:
        met.append(row)
        if len(met) < 3:
            raise HalfRead
        return len(met)

    assert opened.connection.read("list_workspaces", understand) == 3
    with pytest.raises(StoreUnavailable, match="deleted during the read"):
        opened.connection.read("list_workspaces", lambda _: check_whole(None))
