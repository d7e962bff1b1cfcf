"""The bundled domains hold what they promise: gold that is the parse of SQL that runs, in words that overlap little."""

from __future__ import annotations

import itertools
import re
import sqlite3
from contextlib import closing

import pytest

from graph.errors import NotFound
from kit.domain_rows import sample_script
from services.catalogue import read_catalogue
from services.domains import OPAQUE, BundledDomain, BundledTask, list_domains, load_domain
from services.learning.names import Schema
from services.learning.parsing import parse_sql
from services.learning.resolve import resolve

DEMO_TASKS = 10  # what the demo learns, and what it asks
FAMILIES = 5
ALL = [*list_domains(), *(name + OPAQUE for name in list_domains())]
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are at be because been between by could did do does each every for from has have how in is it its "
        "many more most much none not of on one or our ours still than that the their to was were what when where "
        "which who whose with within without",
    )
)


@pytest.fixture(params=ALL)
def domain(request: pytest.FixtureRequest) -> BundledDomain:
    return load_domain(request.param)


@pytest.fixture(params=list_domains())
def plain(request: pytest.FixtureRequest) -> BundledDomain:
    return load_domain(request.param)


def database(domain: BundledDomain) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(sample_script(domain))
    return connection


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


def test_three_domains_of_five_families_make_fifteen_seeds_and_125_questions() -> None:
    sizes = [len(tasks) for name in list_domains() for tasks in load_domain(name).families.values()]
    assert list_domains() == ("czech_bank", "northwind", "nyc_collisions")
    assert len(sizes) == 3 * FAMILIES
    assert sum(sizes) - len(sizes) == 125
    assert all(8 <= size <= 11 for size in sizes)


def test_every_statement_runs_and_reads_exactly_its_gold(domain: BundledDomain) -> None:
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


def test_the_gold_is_what_learning_reads_in_the_statement(domain: BundledDomain) -> None:
    schema = Schema(domain.objects)
    for task in domain.tasks:
        resolution = resolve(parse_sql(task.sql, dialect=task.dialect), schema)
        assert (resolution.objects, resolution.unresolved) == (task.objects, ()), task.id


def test_references_and_gold_name_objects_that_are_there(domain: BundledDomain) -> None:
    attributes = {entry.id for entry in domain.objects if entry.kind == "attribute"}
    assert {end for pair in domain.references for end in pair} <= attributes
    known = {entry.id for entry in domain.objects}
    assert len(known) == len(domain.objects)
    assert {name for task in domain.tasks for name in task.objects} <= known
    assert all(3 <= len(task.objects) <= 5 for task in domain.tasks)
    assert len({task.id for task in domain.tasks}) == len(domain.tasks)


def test_every_statement_finds_something_in_the_made_up_rows(domain: BundledDomain) -> None:
    with closing(database(domain)) as connection:
        found = {task.id: connection.execute(task.sql).fetchall() for task in domain.tasks}
    assert {id: rows for id, rows in found.items() if not any(any(row) for row in rows)} == {}


def test_the_made_up_rows_are_the_same_every_time(domain: BundledDomain) -> None:
    assert sample_script(domain) == sample_script(load_domain(domain.name))


def test_every_reference_leads_to_a_row(domain: BundledDomain) -> None:
    names = {entry.id: entry.name for entry in domain.objects}
    tables = {entry.id: names[entry.table] for entry in domain.objects if entry.table}
    with closing(database(domain)) as connection:
        for start, end in domain.references:
            count = (
                f'SELECT COUNT(*) FROM "{tables[start]}" AS a WHERE a."{names[start]}" IS NOT NULL'
                f' AND NOT EXISTS (SELECT * FROM "{tables[end]}" AS b WHERE b."{names[end]}" = a."{names[start]}")'
            )
            assert connection.execute(count).fetchone() == (0,), (start, end)


def test_tasks_of_one_family_need_nearly_the_same_objects(plain: BundledDomain) -> None:
    """Each object of a task occurs on average in half of its family's other tasks, or what a seed teaches is chance."""
    for family, tasks in plain.families.items():
        shares = [len(set(a.objects) & set(b.objects)) / len(b.objects) for a, b in itertools.permutations(tasks, 2)]
        assert sum(shares) / len(shares) >= 0.5, family


def test_each_domain_has_columns_that_no_task_uses(plain: BundledDomain) -> None:
    used = {id for task in plain.tasks for id in task.objects}
    assert len(used) < len(plain.objects) / 2


def test_the_file_is_a_catalogue_that_can_be_imported(domain: BundledDomain) -> None:
    catalogue = read_catalogue(domain.text, format="json", source=domain.name)
    assert [entry.id for entry in catalogue.objects] == [entry.id for entry in domain.objects]
    assert sorted(catalogue.references) == sorted(domain.references)


def test_an_opaque_variant_shares_the_tasks_and_tells_nothing(plain: BundledDomain) -> None:
    hidden = load_domain(plain.name + OPAQUE)
    words = [word for entry in hidden.objects for word in (entry.id, entry.name, entry.description) if word]
    assert all(re.fullmatch(r"t\d\d|c\d\d|t\d\d\.c\d\d", word) for word in words)
    assert [(task.id, task.intent) for task in hidden.tasks] == [(task.id, task.intent) for task in plain.tasks]
    with closing(database(plain)) as named, closing(database(hidden)) as numbered:
        for before, after in zip(plain.tasks, hidden.tasks, strict=True):
            assert numbered.execute(after.sql).fetchall() == named.execute(before.sql).fetchall(), after.id


def test_the_demo_learns_ten_statements_and_asks_ten_others() -> None:
    domain = load_domain("czech_bank")
    assert len(domain.lessons) == len(domain.questions) == DEMO_TASKS
    families = {task.family for task in domain.questions}
    assert families == set(domain.families)
    assert families == {task.family for task in domain.lessons}
    assert not {task.sql for task in domain.lessons} & {task.sql for task in domain.questions}


def test_tasks_of_one_family_share_few_words(plain: BundledDomain) -> None:
    overlap = {family: mean_overlap(tasks) for family, tasks in plain.families.items()}
    assert {family: value for family, value in overlap.items() if value > 0.25} == {}


def test_an_unknown_domain_is_named_with_those_there_are() -> None:
    with pytest.raises(NotFound, match="czech_bank"):
        load_domain("../czech_bank")


def mean_overlap(tasks: tuple[BundledTask, ...]) -> float:
    """The mean Jaccard index of the tasks' stemmed content words, over all pairs."""
    pairs = list(itertools.combinations([content_words(task.intent) for task in tasks], 2))
    return sum(len(a & b) / len(a | b) for a, b in pairs) / len(pairs)


def content_words(text: str) -> set[str]:
    return {re.sub(r"(ing|ed|es|s)$", "", word) for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS}
