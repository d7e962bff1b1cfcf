"""An addition to a session costs the same at its end as at its start: counted in calls, rows and database hits, not in
seconds, which depend on the machine."""

from __future__ import annotations

import cProfile
import pstats
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j

from graph.embedded import open_store
from graph.neo4j.queries import load_queries
from graph.neo4j.store import open_store as open_neo4j
from graph.premises import Premise
from graph.store import Store
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT
from kit.values.sessions import begin, chunk, digests

MANY = 5_000


def add_one(store: Store, number: int) -> None:
    """A chunk that rests on the first one, as in a session where everything rests on its task."""
    one = chunk(f"n{number}")
    store.add_chunks("w", "s", [one], digests=digests([one]), premises=[Premise(chunk=one.id, premise="task")])


def calls_of(store: Store, number: int) -> int:
    profile = cProfile.Profile()
    profile.runcall(add_one, store, number)
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]


def test_5000_single_additions_cost_no_more_at_the_end() -> None:
    with closing(open_store("memory://")) as store:
        store.create_workspace("w", incarnation="first", at=AT)
        begin(store, "w", given=[chunk("task")])
        for number in range(10):
            add_one(store, number)
        first = calls_of(store, 10)
        for number in range(11, MANY):
            add_one(store, number)
        last = calls_of(store, MANY)
        assert store.show_session("w", "s").chunks == MANY + 2
        assert last <= 1.05 * first, (first, last)


def test_an_addition_writes_its_own_rows_alone(tmp_path: Path) -> None:
    path = tmp_path / "retinue.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.create_workspace("w", incarnation="first", at=AT)
        begin(store, "w", given=[chunk("task"), *(chunk(f"c{number}") for number in range(2_000))])

        def rows() -> int:
            with closing(sqlite3.connect(path)) as db:
                return int(db.execute("SELECT max(sequence) FROM records").fetchone()[0])

        before = rows()
        add_one(store, 1)
        assert rows() == before + 3  # the chunk, its premise, and the session's own row


def test_database_hits_of_an_addition_do_not_grow(neo4j_server: Server) -> None:
    workspace = f"t-{uuid.uuid4().hex}"
    credentials = (neo4j_server.user, neo4j_server.password)
    line = "5" if neo4j_server.line == "neo4j_5" else "2026"
    queries = load_queries(line)  # type: ignore[arg-type]
    with (
        closing(open_neo4j(neo4j_server.url, user=neo4j_server.user, password=neo4j_server.password)) as store,
        neo4j.GraphDatabase.driver(neo4j_server.url, auth=credentials) as driver,
    ):
        store.create_workspace(workspace, incarnation="first", at=AT)
        begin(store, workspace, given=[chunk("task"), *(chunk(f"c{number}") for number in range(9))])

        def hits(name: str, **given: object) -> int:
            text = queries[name].text.replace("CYPHER replan=skip", "CYPHER replan=skip PROFILE")
            with driver.session() as session, session.begin_transaction() as transaction:
                result = transaction.run(text, {"workspace": workspace, "session": "s", **given})
                total = _hits(result.consume().profile or {})
                transaction.rollback()
            return total

        def measured() -> tuple[int, int]:
            row = {"id": "x", "sort_key": "x", "text": "x", "tokens": 1, "pinned": False, "importance": 0.0}
            premise = {"chunk": "c1", "premise": "task", "grade": "declared", "rank": 0, "weight": 1.0, "belief": None}
            adding = hits("add_chunks", chunks=[{"properties": row, "digest": "d"}])
            return adding, hits(
                "add_premises", ends=["c1", "task"], premises=[{**premise, "reasons": []}], fresh_from=None, copy=False
            )

        first = measured()
        more = [chunk(f"m{number}") for number in range(1_500)]
        linked = [Premise(chunk=it.id, premise="task") for it in more]
        store.add_chunks(workspace, "s", more, digests=digests(more), premises=linked)
        last = measured()
        store.delete_workspace(workspace)
    # A chunk with many relationships is kept in groups, which costs three hits once; by size it would cost 1,500.
    assert all(after <= before + 5 for before, after in zip(first, last, strict=True)), (first, last)


def _hits(profile: dict[str, object]) -> int:
    own = profile.get("dbHits", 0)
    children: Any = profile.get("children", ())
    assert isinstance(own, int)
    return own + sum(_hits(child) for child in children)
