"""Records of answers: kept quietly, bounded in number and age, one workspace's own."""

from __future__ import annotations

from datetime import timedelta

import neo4j
import pytest

from graph.feedback import Discovery
from graph.store import Store
from kit.oracles.snapshots import snapshot
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT, BANK


def record(number: int) -> Discovery:
    return Discovery(
        id=f"d_{number:04}",
        intent="kolik účtů 🜚",
        retriever="blend",
        rule="default",
        results=("loan", "account", "nix"),
        at=AT + timedelta(seconds=number),
    )


def test_records_move_no_version_and_are_in_no_other_answer(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    before, stamp = snapshot(store, workspace), store.show_stamp(workspace)
    for number in range(5):
        store.record_discovery(workspace, record(number), keep=3, keep_since=AT - timedelta(days=1))
    store.record_discovery(workspace, record(4), keep=3, keep_since=AT - timedelta(days=1))
    assert store.show_stamp(workspace) == stamp
    assert snapshot(store, workspace) == before


@pytest.mark.parametrize("opener", ["neo4j_5", "neo4j_26"], indirect=True)
def test_the_latest_are_kept_for_people_to_see(
    store: Store, workspace: str, opener: object, request: pytest.FixtureRequest
) -> None:
    """Records have no reader among the ports yet; in Neo4j they are there to be seen in the graph."""
    server: Server = request.getfixturevalue("neo4j_servers").server(request.node.callspec.params["opener"])

    def kept() -> list[str]:
        seen = "MATCH (d:Discovery {workspace: $name})-[:ASKED_IN]->(:Workspace {name: $name}) RETURN d.id AS id"
        with neo4j.GraphDatabase.driver(server.url, auth=(server.user, server.password)) as driver:
            return sorted(row["id"] for row in driver.execute_query(seen, {"name": workspace}).records)

    long_ago = AT - timedelta(days=1)
    for number in (1, 3, 0, 2, 3):
        store.record_discovery(workspace, record(number), keep=3, keep_since=long_ago)
    assert kept() == ["d_0001", "d_0002", "d_0003"]
    store.record_discovery(workspace, record(4), keep=9, keep_since=AT + timedelta(seconds=2))
    assert kept() == ["d_0002", "d_0003", "d_0004"]
    store.record_discovery(workspace, record(5), keep=1, keep_since=long_ago)
    assert kept() == ["d_0005"]
