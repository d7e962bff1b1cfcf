"""Logs that carry no intents: scripts, and what PostgreSQL remembers; what is wrong is told, the rest goes in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from graph.embedded import open_store
from graph.errors import InvalidInput, SourceUnavailable
from graph.memories import Memory
from kit.servers.postgres_clusters import Cluster
from services.catalogue import CatalogueService, read_catalogue
from services.catalogue_index import CatalogueIndexes
from services.learning import LearningService, LearnReport
from services.learning.lines import Line
from services.learning.scripts import read_script
from services.learning.statistics import read_exported, read_statistics
from services.memories import MemoryService

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, full_name TEXT, country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, total REAL);
"""


class Shop:
    """A workspace `w` that holds the shop's catalogue."""

    def __init__(self) -> None:
        self.store = open_store("memory://")
        self.store.create_workspace("w", incarnation="1", at=NOON)
        self.memories = MemoryService(self.store, None, lambda: NOON)
        self.learning = LearningService(self.memories, CatalogueIndexes(self.store))
        CatalogueService(self.store, None).import_catalogue("w", read_catalogue(SHOP, source="shop"))

    def learn(self, script: str, *, dialect: str = "") -> LearnReport:
        return self.learning.learn_log("w", read_script(script, dialect=dialect))

    def kept(self) -> dict[str, Memory]:
        return {memory.intent: memory for memory in self.store.list_memories("w")}


@pytest.fixture
def shop() -> Iterator[Shop]:
    made = Shop()
    yield made
    made.store.close()


def cut(script: str, *, dialect: str = "") -> list[tuple[int, str | None, str]]:
    read = [(it.number, it.found) for it in read_script(script, dialect=dialect)]
    assert all(isinstance(found, Line) for _, found in read)
    return [(number, found.intent, found.sql) for number, found in read if isinstance(found, Line)]


def test_a_comment_before_a_statement_is_its_intent_and_makes_it_proven(shop: Shop) -> None:
    report = shop.learn(
        "-- Licensed to nobody.\n\n-- How much did each\n-- customer spend?\nSELECT customer_id, sum(total)\n"
        "FROM orders GROUP BY 1;\n/* intent: Czech customers */ SELECT full_name FROM customers WHERE country = 'CZ'\n"
    )
    assert [(line.line, line.error, line.state) for line in report.lines] == [
        (5, None, "confirmed"),
        (7, None, "confirmed"),
    ]
    assert {key: memory.objects for key, memory in shop.kept().items()} == {
        "How much did each customer spend?": ("orders", "orders.customer_id", "orders.total"),
        "Czech customers": ("customers", "customers.country", "customers.full_name"),
    }
    assert "'CZ'" not in str(shop.kept()["Czech customers"].statement)


def test_a_statement_without_a_comment_makes_a_proposed_memory_of_its_own_names(shop: Shop) -> None:
    report = shop.learn("SELECT full_name, total FROM orders JOIN customers ON customers.id = customer_id;\n" * 2)
    assert [line.state for line in report.lines] == ["proposed", "proposed"]
    [memory] = shop.kept().values()
    assert memory.intent == "full name, id of customers; customer id, total of orders"
    assert (memory.state, memory.times, memory.successes, memory.evidence) == ("proposed", 2, 0, ())


def test_a_memory_that_was_proven_stays_so_when_its_statement_comes_without_an_intent(shop: Shop) -> None:
    shop.learn("-- total of orders\nSELECT total FROM orders;")
    shop.learn("SELECT total FROM orders;")
    assert [(it.state, it.times) for it in shop.kept().values()] == [("confirmed", 2)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("SELECT 1; -- the one\nSELECT 2", [(1, None, "SELECT 1"), (2, None, "SELECT 2")]),
        (
            "SELECT ';', \"a\", $x$;$x$ ; SELECT 2;;",
            [(1, None, "SELECT ';', \"a\", $x$;$x$"), (1, None, "SELECT 2")],
        ),
        ("SELECT 1 -- not; here\n /* nor; here */ + 1;", [(1, None, "SELECT 1 -- not; here\n /* nor; here */ + 1")]),
        ("-- old\n\n-- new\n--\n-- er\nSELECT 1", [(6, "new er", "SELECT 1")]),
        ("-- SELECT 0;\nSELECT 1", [(2, None, "SELECT 1")]),
        ("--------\n-- 客户 a\n--------\nSELECT 1", [(4, "客户 a", "SELECT 1")]),
        ("/*\n * What,\n * and why\n */\nSELECT 1", [(5, "What, and why", "SELECT 1")]),
        ("BEGIN; SET x = 1;\n-- q\nSELECT 1;\nCOMMIT;", [(3, "q", "SELECT 1")]),
        ("\ufeff\n\n-- q\n\\timing on\nSELECT 1\nGO\nSELECT 2\nGO", [(5, None, "SELECT 1"), (7, None, "SELECT 2")]),
        ("COPY t FROM stdin;\n1\n2\n\\.\n-- q\nSELECT 1", [(1, None, "COPY t FROM stdin"), (6, "q", "SELECT 1")]),
        ("", []),
        ("-- only words", []),
    ],
)
def test_scripts_are_cut_into_statements_with_their_lines_and_comments(
    script: str, expected: list[tuple[int, str | None, str]]
) -> None:
    found = cut(script)
    assert [it for it in found if not it[2].startswith("COPY")] == [it for it in expected if "COPY" not in it[2]]


def test_escapes_in_texts_are_those_of_the_dialect() -> None:
    script = "SELECT 'it\\'s; -- ' AS a;\n# second\nSELECT 2;"
    assert [it[2] for it in cut(script, dialect="mysql")] == ["SELECT 'it\\'s; -- ' AS a", "SELECT 2"]
    assert cut(script, dialect="mysql")[1][1] == "second"
    with pytest.raises(InvalidInput, match="no such dialect"):
        cut(script, dialect="klingon")


@pytest.mark.fault(71)
def test_what_is_wrong_is_told_by_line_and_the_rest_goes_in(shop: Shop) -> None:
    script = "\n".join(
        [
            "-- unbalanced\nSELECT 'never closed FROM orders;",  # 2
            "-- first\nSELECT total FROM orders;",  # 4
            "-- garbage\nSELEC total FORM orders;",  # 6
            "-- unknown column\nSELECT nix, country FROM customers;",  # 8
            "-- unknown table\nSELECT a FROM nowhere;",  # 10
            "-- other dialect\nSELECT TOP 5 [total] FROM orders FOR JSON PATH, ROOT('x');",  # 12
            "-- huge\nSELECT '" + "x" * 5_000_000 + "' FROM orders;",  # 14
            "-- writes\nINSERT INTO customers SELECT id, 'x', 'y' FROM orders WHERE total > 5;",  # 16
            "-- drops\nDROP TABLE orders;",  # 18
            "-- text 'with' one quote's trouble\nSELECT full_name FROM customers;",  # 20
            "-- last\nSELECT country FROM customers;",  # 22
        ]
    )
    report = shop.learn(script)
    errors = {line.line: line.error for line in report.lines if line.error is not None}
    assert set(errors) >= {2, 6, 10, 14, 18}
    assert "1,000,000" in str(errors[14])
    assert {4, 8, 16, 20, 22} <= {line.line for line in report.lines if line.error is None}
    unresolved = {line.line: line.unresolved for line in report.lines}
    assert (unresolved[8], unresolved[10]) == (("nix",), ("nowhere", "a"))
    assert shop.kept()["writes"].objects == ("orders", "orders.id", "orders.total")


EXPORT = (
    'userid,query,calls,total\n10,"SELECT total\nFROM orders WHERE id = $1",25,1.5\n'
    "10,BEGIN,400,0\n10,DROP TABLE orders,7,0\n10,SELECT country FROM customers,1,0\n"
    "10,SELECT oid FROM pg_catalog.pg_class,9,0\n"
    "10,SELECT full_name FROM customers,many,0\n"
)


def test_an_export_of_pg_stat_statements_is_learned_from(shop: Shop) -> None:
    report = shop.learning.learn_log("w", read_exported(EXPORT.splitlines(keepends=True)))
    assert [(line.line, line.state) for line in report.lines] == [(2, "proposed"), (6, "proposed"), (8, None)]
    assert "calls" in str(report.lines[2].error)
    assert {memory.objects for memory in shop.kept().values()} == {
        ("orders", "orders.id", "orders.total"),
        ("customers", "customers.country"),
    }
    often = [it.number for it in read_exported(EXPORT.splitlines(keepends=True), min_calls=2)]
    assert often == [2, 8]
    with pytest.raises(InvalidInput, match="no column `query`"):
        list(read_exported(["a,b\n"]))


def test_the_statements_of_a_live_postgresql_are_learned_from(postgres: Cluster) -> None:
    postgres.run("CREATE DATABASE shop; CREATE DATABASE bare;")
    postgres.run(SHOP, database="shop")
    with pytest.raises(InvalidInput, match="pg_stat_statements is not in this database"):
        read_statistics(f"{postgres.url}/bare")
    postgres.run('CREATE SCHEMA "of Ops"; CREATE EXTENSION pg_stat_statements SCHEMA "of Ops";', database="shop")
    asked = "SELECT c.country, sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1;"
    postgres.run(asked * 3 + "SELECT full_name FROM customers WHERE id = 41;", database="shop")
    log = read_statistics(f"{postgres.url}/shop")
    shop = Shop()
    report = shop.learning.learn_log("w", log)
    learned = {line.objects for line in report.lines if line.error is None}
    assert learned == {
        ("customers", "customers.country", "customers.id", "orders", "orders.customer_id", "orders.total"),
        ("customers", "customers.full_name", "customers.id"),
    }
    assert {memory.state for memory in shop.kept().values()} == {"proposed"}
    assert "41" not in "".join(str(memory.statement) for memory in shop.kept().values())
    assert len(read_statistics(f"{postgres.url}/shop", min_calls=3)) == 1
    with pytest.raises(SourceUnavailable) as raised:
        read_statistics(postgres.url.replace("s3cret", "wrong") + "/shop")
    assert "wrong" not in str(raised.value)
    shop.store.close()
