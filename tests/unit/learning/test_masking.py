"""Statements are kept without the data in them: what goes, what stays, and that it is still SQL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from services.learning.masking import mask
from services.learning.parsing import parse_sql


def masked(sql: str, *, dialect: str = "sqlite", strings: frozenset[int] = frozenset()) -> str:
    text = mask(parse_sql(sql, dialect=dialect), strings=strings)
    parse_sql(text, dialect=dialect)
    return text


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("sqlite", "SELECT a FROM t WHERE n = 'O''Neil' AND x > 3.5e2", "SELECT a FROM t WHERE n = '?' AND x > 0"),
        ("sqlite", "SELECT a -- Mr Smith\nFROM t /* 1999 */ LIMIT 5", "SELECT a FROM t LIMIT 0"),
        ("sqlite", 'SELECT "a b", `c`, [d e] FROM "t x"', 'SELECT "a b", `c`, [d e] FROM "t x"'),
        ("sqlite", "SELECT x'00ff' FROM t WHERE a IN (1,-2,'c')", "SELECT '?' FROM t WHERE a IN (0,-0,'?')"),
        ("sqlite", "SELECT CAST(a AS DECIMAL(10, 2)), DATE(7)", "SELECT CAST(a AS DECIMAL(10, 2)), DATE(0)"),
        ("postgres", "SELECT E'a\\'b', $$it's$$, a::varchar(20)", "SELECT '?', '?', a::varchar(20)"),
        ("postgres", "SELECT DATE '2020-01-01' + INTERVAL '3 days', $1", "SELECT DATE '?' + INTERVAL '?', $1"),
        ("mysql", "SELECT \"Ann\", N'x', 0xFF FROM `t` LIMIT 5, 10", "SELECT '?', '?', '?' FROM `t` LIMIT 0, 0"),
        ("tsql", "SELECT TOP 10 [a] FROM t WHERE x = N'é'", "SELECT TOP 0 [a] FROM t WHERE x = '?'"),
        ("bigquery", 'SELECT r"raw", """a "b" c""", @p', "SELECT '?', '?', @p"),
        ("snowflake", "SELECT t.$2 FROM t WHERE a:b::string = 'q'", "SELECT t.$2 FROM t WHERE a:b::string = '?'"),
        ("hive", "SELECT 10L, 5D FROM t", "SELECT 0, 0 FROM t"),
        ("oracle", "SELECT /*+ FULL(ann) */ a FROM t WHERE b = q'[it's]'", "SELECT a FROM t WHERE b = '?'"),
        ("duckdb", "SELECT MAP {'ann': 41}", "SELECT MAP {'?': 0}"),
    ],
)
def test_literals_go_and_names_stay(dialect: str, sql: str, expected: str) -> None:
    assert masked(sql, dialect=dialect) == expected


def test_double_quoted_words_go_where_they_are_strings() -> None:
    sql = 'SELECT "a" FROM t WHERE b = "Ann"'
    assert masked(sql, strings=frozenset({sql.index('"Ann"')})) == "SELECT \"a\" FROM t WHERE b = '?'"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=4))
def test_no_text_whatever_it_holds_is_left(secret: str) -> None:
    quoted = secret.replace("'", "''")
    assert masked(f"SELECT a FROM t WHERE b = '{quoted}'") == "SELECT a FROM t WHERE b = '?'"


@pytest.mark.tier("test")
def test_real_statements_parse_when_masked_and_keep_their_shape(shared: Path) -> None:
    lines = (shared / "data" / "sql" / "bird.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        script = parse_sql(json.loads(line)["sql"], dialect="sqlite")
        again = parse_sql(mask(script, strings=frozenset()), dialect="sqlite")
        assert [kinds(tree) for tree in again.statements] == [kinds(tree) for tree in script.statements]


def kinds(tree: exp.Expr) -> list[str]:
    return [type(node).__name__ for node in tree.walk()]
