"""Learning from SQL end to end on the embedded store: single statements, logs with odd lines, several writers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from threading import Thread

import pytest

from graph.embedded import open_store
from graph.errors import InvalidInput, UnknownWorkspace
from graph.store import Store
from services.catalogue import CatalogueService, read_catalogue
from services.catalogue_index import CatalogueIndexes
from services.learning import LearningService
from services.learning.lines import read_json
from services.memories import MemoryService

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, total REAL);
"""


class Shop:
    """The services over a store whose workspace `w` holds the shop's catalogue."""

    def __init__(self, store: Store) -> None:
        store.create_workspace("w", incarnation="1", at=NOON)
        self.store = store
        self.catalogue = CatalogueService(store, None)
        self.memories = MemoryService(store, None, lambda: NOON)
        self.learning = LearningService(self.memories, CatalogueIndexes(store))
        self.catalogue.import_catalogue("w", read_catalogue(SHOP, source="shop"))


@pytest.fixture
def shop() -> Iterator[Shop]:
    store = open_store("memory://")
    yield Shop(store)
    store.close()


def line(intent: object = "customers by country", sql: object = "SELECT country FROM customers", **more: object) -> str:
    return json.dumps({"intent": intent, "sql": sql, "dialect": "sqlite", "succeeded": True, **more})


def test_what_ran_becomes_a_confirmed_memory_with_its_literals_masked(shop: Shop) -> None:
    sql = 'SELECT name FROM customers WHERE country = "CZ" AND id > 41 -- Ann\'s'
    learnt = shop.learning.learn("w", "  Czech\ncustomers ", sql, dialect="sqlite", discovery="d_1")
    assert learnt.objects == ("customers", "customers.country", "customers.id", "customers.name")
    assert (learnt.unresolved, learnt.state) == ((), "confirmed")
    memory = shop.memories.show("w", str(learnt.memory))
    assert (memory.intent, memory.objects, memory.successes) == ("Czech customers", learnt.objects, 1)
    assert memory.statement == "SELECT name FROM customers WHERE country = '?' AND id > 0"
    assert [(e.kind, e.outcome, e.discovery, e.at) for e in memory.evidence] == [
        ("executed_sql", "success", "d_1", NOON)
    ]


def test_the_statement_is_kept_as_it_is_where_that_is_asked(shop: Shop) -> None:
    sql = "SELECT name FROM customers WHERE country = 'CZ'"
    learnt = shop.learning.learn("w", "Czech customers", sql, dialect="sqlite", keep_sql=True)
    assert shop.memories.show("w", str(learnt.memory)).statement == sql


def test_what_does_not_resolve_is_told_and_the_rest_is_remembered(shop: Shop) -> None:
    learnt = shop.learning.learn("w", "odd", "SELECT c.nme, country FROM customers c", dialect="sqlite")
    assert learnt.unresolved == ("c.nme",)
    assert learnt.objects == ("customers", "customers.country")
    assert learnt.memory is not None


def test_a_statement_that_uses_nothing_known_makes_no_memory(shop: Shop) -> None:
    learnt = shop.learning.learn("w", "odd", "SELECT a FROM elsewhere")
    assert (learnt.memory, learnt.objects, learnt.state) == (None, (), None)
    assert learnt.unresolved == ("elsewhere", "a")
    assert shop.memories.list("w") == ()


def test_a_failure_speaks_against_the_memory_and_never_makes_one(shop: Shop) -> None:
    def learn(*, succeeded: bool) -> str | None:
        return shop.learning.learn("w", "names", "SELECT name FROM customers", succeeded=succeeded).state

    assert learn(succeeded=False) is None
    assert shop.memories.list("w") == ()
    assert learn(succeeded=True) == "confirmed"
    assert learn(succeeded=False) == "refuted"
    assert learn(succeeded=True) == "confirmed"


@pytest.mark.parametrize(
    ("intent", "sql", "dialect"),
    [
        ("", "SELECT 1", ""),
        (" \n", "SELECT 1", ""),
        ("a", "", ""),
        ("a", "SELEC 1 FRO", ""),
        ("a", "SELECT 1", "klingon"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_says_what_to_do(shop: Shop, intent: str, sql: str, dialect: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        shop.learning.learn("w", intent, sql, dialect=dialect)
    assert caught.value.hint
    assert shop.memories.list("w") == ()


def test_a_workspace_that_is_not_there_is_an_error(shop: Shop) -> None:
    with pytest.raises(UnknownWorkspace):
        shop.learning.learn("nowhere", "a", "SELECT name FROM customers")
    with pytest.raises(UnknownWorkspace):
        shop.learning.learn_log("nowhere", read_json([line()]))


def test_lines_go_in_whatever_their_neighbours_are(shop: Shop) -> None:
    good = line()
    odd = [
        "null", "7", "[]", "{", '{"intent": "a"}', '{"sql": "SELECT 1"}', line(sql=None), line(intent=None),
        line(intent=""), line(intent="a\x00b"), line(sql="SELEC"), line(sql="SELECT 1"), line(succeeded="yes"),
        line(dialect="klingon"), line(dialect=5), line(discovery=["x"]), '{"intent": "\\ud800", "sql": "SELECT 1"}',
        "[" * 100_000,
    ]  # fmt: skip
    commits: list[int] = []
    report = shop.learning.learn_log("w", read_json(["", good, *odd, "  ", good + "\n"]), on_commit=commits.append)
    assert [entry.line for entry in report.lines] == [2, *range(3, 3 + len(odd)), 4 + len(odd)]
    assert (report.learned, report.rejected) == (2, len(odd))
    assert all(entry.error for entry in report.lines[1:-1])
    assert commits == [4 + len(odd)]
    [memory] = shop.memories.list("w")
    assert (memory.times, memory.successes, memory.state) == (2, 2, "confirmed")


def test_commits_are_told_as_they_become_safe(shop: Shop) -> None:
    safe: list[tuple[int, int]] = []

    def on_commit(number: int) -> None:
        safe.append((number, len(shop.memories.list("w", limit=1_000))))

    report = shop.learning.learn_log(
        "w", read_json(line(intent=f"question {n}") for n in range(450)), on_commit=on_commit
    )
    assert safe == [(200, 200), (400, 400), (450, 450)]
    assert report.learned == 450


def test_no_lines_are_no_commit(shop: Shop) -> None:
    commits: list[int] = []
    assert shop.learning.learn_log("w", read_json([]), on_commit=commits.append).lines == ()
    assert commits == []


def test_a_line_that_failed_before_its_memory_was_there_reports_none(shop: Shop) -> None:
    report = shop.learning.learn_log("w", read_json([line(succeeded=False), line(), line(succeeded=False)]))
    assert [(entry.memory is None, entry.state) for entry in report.lines] == [
        (True, None),
        (False, "confirmed"),
        (False, "refuted"),
    ]
    assert report.rejected == 0


def test_a_catalogue_that_moves_is_seen_by_the_next_statement(shop: Shop) -> None:
    assert shop.learning.learn("w", "a", "SELECT vat FROM orders").unresolved == ("vat",)
    more = read_catalogue(SHOP.replace("total REAL", "total REAL, vat REAL"), source="shop")
    shop.catalogue.import_catalogue("w", more)
    assert shop.learning.learn("w", "a", "SELECT vat FROM orders").objects == ("orders", "orders.vat")
    shop.store.delete_workspace("w")
    shop.store.create_workspace("w", incarnation="2", at=NOON)
    assert shop.learning.learn("w", "a", "SELECT vat FROM orders").objects == ()


def test_writers_of_one_memory_lose_nothing(shop: Shop) -> None:
    def write() -> None:
        for _ in range(10):
            shop.learning.learn("w", "names", "SELECT name FROM customers")

    threads = [Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [memory] = shop.memories.list("w")
    assert (memory.times, memory.successes, len(memory.evidence)) == (60, 60, 20)


def test_a_failure_that_speaks_against_nothing_is_neither_learned_nor_rejected(shop: Shop) -> None:
    report = shop.learning.learn_log("w", read_json([line(succeeded=False), line(), line(succeeded=False)]))
    assert [entry.memory is not None for entry in report.lines] == [False, True, True]
    assert (report.learned, report.rejected) == (2, 0)
