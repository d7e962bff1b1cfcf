"""The bundled domains hold what they promise: gold that is the parse of SQL that runs, in words that overlap little."""

from __future__ import annotations

import itertools
import re
import sqlite3
from contextlib import closing

import pytest

from graph.errors import NotFound
from services.domains import Domain, Task, list_domains, load_domain
from services.learning.names import Schema
from services.learning.parsing import parse_sql
from services.learning.resolve import resolve

DEMO_TASKS = 10  # what the demo learns, and what it asks
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are at be because been between by could did do does each every for from has have how in is it its "
        "many more most much none not of on one or our ours still than that the their to was were what when where "
        "which who whose with within without",
    )
)


@pytest.fixture(params=list_domains())
def domain(request: pytest.FixtureRequest) -> Domain:
    return load_domain(request.param)


def database(domain: Domain) -> sqlite3.Connection:
    """The domain's schema in SQLite, three made-up rows in each table."""
    connection = sqlite3.connect(":memory:")
    for table in (entry for entry in domain.objects if entry.kind == "table"):
        columns = [entry for entry in domain.objects if entry.table == table.id]
        typed = ", ".join(f'"{column.name}" {column.data_type}' for column in columns)
        connection.execute(f'CREATE TABLE "{table.name}" ({typed})')
        places = ", ".join("?" for _ in columns)
        rows = [[sample(str(column.data_type), row) for column in columns] for row in (1, 2, 3)]
        connection.executemany(f'INSERT INTO "{table.name}" VALUES ({places})', rows)
    return connection


def sample(data_type: str, row: int) -> object:
    return {"integer": row, "real": row / 2, "date": f"1997-0{row}-15"}.get(data_type, f"word {row}")


def read_by(connection: sqlite3.Connection, sql: str) -> set[tuple[str, str]]:
    """The (table, column) pairs that SQLite itself reads while it compiles the statement."""
    seen: set[tuple[str, str]] = set()

    def watch(action: int, table: str | None, column: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_READ:
            seen.add((str(table), str(column)))
        return sqlite3.SQLITE_OK

    connection.set_authorizer(watch)
    connection.execute(sql).fetchall()
    return seen


def test_every_statement_runs_and_reads_exactly_its_gold(domain: Domain) -> None:
    by_name = {(entry.table, entry.name): entry.id for entry in domain.objects}
    wrong = {}
    with closing(database(domain)) as connection:
        for task in domain.tasks:
            pairs = read_by(connection, task.sql)
            gold = {by_name[None, table] for table, _ in pairs}
            gold |= {by_name[by_name[None, table], column] for table, column in pairs if column}
            if tuple(sorted(gold)) != task.objects:
                wrong[task.id] = sorted(gold)
    assert domain.tasks
    assert wrong == {}


def test_the_gold_is_what_learning_reads_in_the_statement(domain: Domain) -> None:
    schema = Schema(domain.objects)
    for task in domain.tasks:
        resolution = resolve(parse_sql(task.sql, dialect=task.dialect), schema)
        assert (resolution.objects, resolution.unresolved) == (task.objects, ()), task.id


def test_references_and_gold_name_objects_that_are_there(domain: Domain) -> None:
    attributes = {entry.id for entry in domain.objects if entry.kind == "attribute"}
    assert {end for pair in domain.references for end in pair} <= attributes
    known = {entry.id for entry in domain.objects}
    assert len(known) == len(domain.objects)
    assert {name for task in domain.tasks for name in task.objects} <= known
    assert all(3 <= len(task.objects) <= 5 for task in domain.tasks)
    assert len({task.id for task in domain.tasks}) == len(domain.tasks)


def test_the_demo_learns_ten_statements_and_asks_ten_others(domain: Domain) -> None:
    assert len(domain.lessons) == len(domain.questions) == DEMO_TASKS
    families = {task.family for task in domain.questions}
    assert len(families) == 5
    assert families == {task.family for task in domain.lessons}
    assert not {task.sql for task in domain.lessons} & {task.sql for task in domain.questions}


def test_tasks_of_one_family_share_few_words(domain: Domain) -> None:
    overlap = {family: mean_overlap(tasks) for family, tasks in families_of(domain).items()}
    assert {family: value for family, value in overlap.items() if value > 0.25} == {}


def test_an_unknown_domain_is_named_with_those_there_are() -> None:
    with pytest.raises(NotFound, match="czech_bank"):
        load_domain("../czech_bank")


def families_of(domain: Domain) -> dict[str, list[Task]]:
    found: dict[str, list[Task]] = {}
    for task in domain.tasks:
        found.setdefault(task.family, []).append(task)
    return found


def mean_overlap(tasks: list[Task]) -> float:
    """The mean Jaccard index of the tasks' stemmed content words, over all pairs."""
    pairs = list(itertools.combinations([content_words(task.intent) for task in tasks], 2))
    return sum(len(a & b) / len(a | b) for a, b in pairs) / len(pairs)


def content_words(text: str) -> set[str]:
    return {re.sub(r"(ing|ed|es|s)$", "", word) for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS}
