"""Which objects a statement uses: one small shop, read in every way that SQL has of naming things."""

from __future__ import annotations

import pytest

from graph.catalogue import DataObject
from services.learning.names import Schema
from services.learning.parsing import UnreadableSql, parse_sql
from services.learning.resolve import Resolution, resolve

# Ids say nothing about names, on purpose: nothing may be cut out of an id.
SHOP = {
    ("T1", "customers"): {"c1": "id", "c2": "name", "c3": "country", "c4": "Home Town"},
    ("T2", "orders"): {"o1": "id", "o2": "customer_id", "o3": "total", "o4": "placed"},
    ("T3", "staff"): {"s1": "id", "s2": "boss", "s3": "name"},
}


def schema_of(tables: dict[tuple[str, str], dict[str, str]]) -> Schema:
    return Schema(
        item
        for (table, name), columns in tables.items()
        for item in [
            DataObject(id=table, kind="table", name=name),
            *(DataObject(id=key, kind="attribute", name=text, table=table) for key, text in columns.items()),
        ]
    )


SCHEMA = schema_of(SHOP)


def read(sql: str, *, dialect: str = "sqlite", schema: Schema = SCHEMA) -> Resolution:
    return resolve(parse_sql(sql, dialect=dialect), schema)


def used(sql: str, *, dialect: str = "sqlite", schema: Schema = SCHEMA) -> str:
    """The ids used, blank between; everything must have resolved."""
    found = read(sql, dialect=dialect, schema=schema)
    assert found.unresolved == ()
    return " ".join(found.objects)


@pytest.mark.parametrize(
    ("sql", "objects"),
    [
        ("SELECT name FROM customers", "T1 c2"),
        ("SELECT NAME FROM Customers", "T1 c2"),
        ("SELECT c.name FROM customers AS c WHERE c.country = 'CZ'", "T1 c2 c3"),
        ("SELECT customers.name FROM customers", "T1 c2"),
        ("SELECT main.customers.name FROM main.customers", "T1 c2"),
        ("SELECT * FROM customers", "T1"),
        ("SELECT c.*, o.total FROM customers c, orders o", "T1 T2 o3"),
        ("SELECT count(*) FROM customers", "T1"),
        ("SELECT 1", ""),
        ('SELECT `Home Town`, [name] FROM "customers"', "T1 c2 c4"),
        ("SELECT total FROM customers JOIN orders ON customers.id = customer_id", "T1 T2 c1 o2 o3"),
        ("SELECT total FROM customers JOIN orders USING (id)", "T1 T2 c1 o1 o3"),
        ("SELECT id FROM customers JOIN orders USING (id)", "T1 T2 c1 o1"),
        ("SELECT boss FROM customers NATURAL JOIN staff", "T1 T3 c1 c2 s1 s2 s3"),
        ("SELECT total FROM (customers c JOIN orders o ON c.id = o.customer_id)", "T1 T2 c1 o2 o3"),
        ("SELECT a.boss FROM staff a JOIN staff b ON a.boss = b.id", "T3 s1 s2"),
        # ON may name a table that is joined later
        ("SELECT 1 FROM customers c JOIN orders o ON s.boss = c.id JOIN staff s", "T1 T2 T3 c1 s2"),
        # aliases of results
        ("SELECT total AS t FROM orders ORDER BY t", "T2 o3"),
        ("SELECT count(*) AS total FROM orders GROUP BY placed ORDER BY total", "T2 o4"),
        ("SELECT sum(total) AS s FROM orders GROUP BY placed HAVING s > 5 ORDER BY s + placed", "T2 o3 o4"),
        ("SELECT total t, placed FROM orders WHERE t > 3", "T2 o3 o4"),
        # queries inside queries
        ("SELECT x.n FROM (SELECT name AS n FROM customers) x", "T1 c2"),
        ("SELECT n FROM (SELECT name AS n FROM customers)", "T1 c2"),
        ("SELECT country FROM (SELECT * FROM customers)", "T1 c3"),
        ("SELECT y.country FROM (SELECT x.* FROM (SELECT * FROM customers) x) y", "T1 c3"),
        ("SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders)", "T1 T2 c1 c2 o2"),
        ("SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id)", "T1 T2 c1 c2 o2"),
        ("SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE total > country)", "T1 T2 c2 c3 o3"),
        ("SELECT (SELECT max(total) FROM orders WHERE customer_id = c.id) FROM customers c", "T1 T2 c1 o2 o3"),
        ("SELECT name FROM customers WHERE id IN orders", "T1 T2 c1 c2"),
        # the inner query's own columns come first
        ("SELECT name FROM customers WHERE id IN (SELECT id FROM staff)", "T1 T3 c1 c2 s1"),
        # named queries
        ("WITH big AS (SELECT customer_id AS k FROM orders) SELECT k FROM big", "T2 o2"),
        ("WITH big(k) AS (SELECT * FROM orders) SELECT k FROM big", "T2 o1"),
        ("WITH a AS (SELECT * FROM orders), b AS (SELECT * FROM a) SELECT total FROM b", "T2 o3"),
        ("WITH orders AS (SELECT name AS total FROM customers) SELECT total FROM orders", "T1 c2"),
        (
            "WITH RECURSIVE up(who) AS (SELECT boss FROM staff UNION ALL SELECT s.boss FROM staff s JOIN up"
            " ON s.id = up.who) SELECT who FROM up",
            "T3 s1 s2",
        ),
        # set operations
        ("SELECT name FROM customers UNION SELECT boss FROM staff", "T1 T3 c2 s2"),
        ("SELECT name AS n FROM customers UNION SELECT boss FROM staff ORDER BY n", "T1 T3 c2 s2"),
        ("SELECT name FROM customers EXCEPT SELECT name FROM staff ORDER BY name LIMIT 3", "T1 T3 c2 s3"),
        (
            "SELECT country FROM (SELECT * FROM customers UNION SELECT id, boss, name, 1 FROM staff)",
            "T1 T3 c3 s1 s2 s3",
        ),
        ("SELECT id FROM (SELECT * FROM orders UNION ALL SELECT * FROM customers)", "T1 T2 c1 o1"),
        # everything else that holds columns
        ("SELECT rank() OVER (PARTITION BY placed ORDER BY total) FROM orders", "T2 o3 o4"),
        ("SELECT sum(total) OVER w FROM orders WINDOW w AS (PARTITION BY placed)", "T2 o3 o4"),
        ("SELECT CASE WHEN total > 5 THEN placed ELSE customer_id END FROM orders", "T2 o2 o3 o4"),
        ("SELECT CAST(total AS TEXT) || strftime('%Y', placed) FROM orders LIMIT 5", "T2 o3 o4"),
        ("SELECT rowid, o.rowid FROM orders o", "T2"),
        ("SELECT v.a, total FROM orders, (VALUES (1)) v(a)", "T2 o3"),
        ("SELECT key, value FROM orders, json_each(orders.total)", "T2 o3"),
        ("SELECT name FROM customers; SELECT total FROM orders", "T1 T2 c2 o3"),
        ("CREATE TEMP TABLE x AS SELECT name AS n FROM customers; SELECT n FROM x", "T1 c2"),
    ],
)
def test_names_are_found_where_they_stand(sql: str, objects: str) -> None:
    assert used(sql) == objects


def test_what_does_not_resolve_is_listed_as_written_and_the_rest_is_used() -> None:
    found = read("SELECT c.nme, foo, total, x.y FROM customers c JOIN nowhere n JOIN orders o WHERE n.z = 1")
    assert found.objects == ("T1", "T2", "o3")
    assert found.unresolved == ("nowhere", "c.nme", "foo", "x.y", "n.z")


def test_an_ambiguous_name_is_not_guessed() -> None:
    found = read("SELECT name FROM customers JOIN staff")
    assert found.objects == ("T1", "T3")
    assert found.unresolved == ("name",)


def test_a_name_that_both_ways_lead_to_one_column_is_no_guess() -> None:
    assert used("SELECT boss FROM staff a, staff b") == "T3 s2"


@pytest.mark.parametrize("word", ['"CZ"', '"Home Twon"'])
def test_a_double_quoted_word_that_is_no_column_is_a_string_in_sqlite(word: str) -> None:
    sql = f"SELECT name FROM customers WHERE country = {word}"
    found = read(sql)
    assert found.objects == ("T1", "c2", "c3")
    assert found.unresolved == ()
    assert found.strings == {sql.index('"')}


def test_a_double_quoted_word_that_is_a_column_is_that_column() -> None:
    assert used('SELECT "name" FROM customers WHERE "HOME TOWN" = "CZ"') == "T1 c2 c4"
    assert used('SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE "country" = 1)') == "T1 T2 c2 c3"


@pytest.mark.parametrize(
    "sql", ['SELECT c."nme" FROM customers c', "SELECT `nme` FROM customers", "SELECT [nme] FROM customers"]
)
def test_other_quoting_never_makes_a_string(sql: str) -> None:
    found = read(sql)
    assert len(found.unresolved) == 1
    assert found.strings == frozenset()


def test_a_double_quoted_word_beside_an_unknown_table_may_be_either() -> None:
    sql = 'SELECT name FROM customers JOIN nowhere WHERE country = "CZ"'
    found = read(sql)
    assert found.unresolved == ("nowhere", "CZ")
    assert found.strings == {sql.index('"CZ"')}


@pytest.mark.parametrize(
    ("dialect", "sql", "objects"),
    [
        ("postgres", "SELECT c.name FROM public.customers c WHERE c.id = ANY (SELECT total FROM"
                     " orders)", "T1 T2 c1 c2 o3"),
        ("postgres", "SELECT DISTINCT ON (country) name FROM customers ORDER BY country, id", "T1 c1 c2 c3"),
        ("postgres", "SELECT l.t FROM staff c CROSS JOIN LATERAL (SELECT id t FROM orders WHERE total"
                     " = c.id) l", "T2 T3 o1 o3 s1"),
        ("postgres", "SELECT g, total FROM orders, generate_series(1, 3) g", "T2 o3"),
        ("postgres", "SELECT row_to_json(c) FROM customers c", "T1"),
        ("postgres", "SELECT total::int, placed AT TIME ZONE 'UTC' FROM orders FETCH FIRST 5 ROWS ONLY", "T2 o3 o4"),
        ("mysql", "SELECT `name` FROM `shop`.`customers` WHERE country = \"CZ\"", "T1 c2 c3"),
        ("mysql", "SELECT GROUP_CONCAT(name SEPARATOR ', ') FROM customers", "T1 c2"),
        ("snowflake", "SELECT NAME FROM DB.PUBLIC.CUSTOMERS QUALIFY row_number() OVER (ORDER BY ID) = 1", "T1 c1 c2"),
        ("snowflake", "SELECT total:a.b::string FROM orders", "T2 o3"),
        ("bigquery", "SELECT c.name FROM `proj.shop.customers` c", "T1 c2"),
        ("bigquery", "SELECT * EXCEPT (name) FROM customers", "T1"),
        ("bigquery", "SELECT t FROM orders, UNNEST(total) AS t", "T2 o3"),
        ("bigquery", "SELECT o.total.amount.euros FROM orders o", "T2 o3"),
        ("tsql", "SELECT TOP 10 [Home Town] FROM [dbo].[customers] WITH (NOLOCK)", "T1 c4"),
        ("tsql", "SELECT o.id FROM staff c CROSS APPLY (SELECT TOP 1 id FROM orders WHERE total ="
                     " c.id) o", "T2 T3 o1 o3 s1"),
        ("tsql", "SELECT name INTO #x FROM customers; SELECT name FROM #x", "T1 c2"),
        ("oracle", "SELECT name FROM customers WHERE ROWNUM < 5 AND SYSDATE > 1", "T1 c2"),
        ("oracle", "SELECT name, 1 FROM customers, dual", "T1 c2"),
        ("hive", "SELECT e.x FROM orders LATERAL VIEW explode(total) e AS x", "T2 o3"),
        ("duckdb", "FROM customers SELECT name", "T1 c2"),
        ("", "SELECT [Home Town], `name` FROM customers", "T1 c2 c4"),
    ],
)  # fmt: skip
def test_other_dialects_name_things_their_own_way(dialect: str, sql: str, objects: str) -> None:
    assert used(sql, dialect=dialect) == objects


def test_quoted_names_are_exact_where_the_dialect_says_so() -> None:
    mixed = schema_of({("A", "Orders"): {"a": "Total"}, ("B", "orders"): {"b": "total"}})
    assert used('SELECT "Total" FROM "Orders"', dialect="postgres", schema=mixed) == "A a"
    assert used("SELECT Total FROM Orders", dialect="postgres", schema=mixed) == "B b"
    assert used("SELECT Total FROM Orders", dialect="sqlite", schema=mixed) == "A a"
    assert read("SELECT 1 FROM ORDERS", dialect="sqlite", schema=mixed).unresolved == ("ORDERS",)
    assert read('SELECT "NAME" FROM customers', dialect="postgres").unresolved == ("NAME",)


def test_schemas_in_ids_tell_tables_of_one_name_apart() -> None:
    two = schema_of({("sales.orders", "orders"): {"x": "a"}, ("old.orders", "orders"): {"y": "a"}, ("main.t", "t"): {}})
    assert used("SELECT a FROM sales.orders", schema=two) == "sales.orders x"
    assert used("SELECT o.a FROM dw.old.orders o", schema=two) == "old.orders y"
    assert used("SELECT old.orders.a FROM old.orders, sales.orders", schema=two) == "old.orders sales.orders y"
    assert used("SELECT 1 FROM t", schema=two) == "main.t"
    assert read("SELECT 1 FROM orders", schema=two).unresolved == ("orders",)
    assert read("SELECT 1 FROM newer.orders", schema=two).unresolved == ("newer.orders",)


def test_names_with_dots_and_any_script() -> None:
    odd = schema_of({("k", "my.table"): {"a": "größe", "b": "顧客.名"}})
    assert used('SELECT "GRÖSSE", [顧客.名] FROM "my.table"', schema=odd) == "a b k"


@pytest.mark.parametrize(
    ("dialect", "sql", "objects"),
    [
        ("sqlite", "INSERT INTO orders (total) SELECT country FROM customers", "T1 c3"),
        ("sqlite", "INSERT INTO orders (total) VALUES ((SELECT max(id) FROM staff))", "T3 s1"),
        ("sqlite", "INSERT INTO orders (id) VALUES (1)", ""),
        ("postgres", "INSERT INTO orders SELECT id FROM staff ON CONFLICT (id) DO UPDATE SET total ="
                     " orders.placed", "T2 T3 o4 s1"),
        ("sqlite", "UPDATE orders SET total = placed + 1 WHERE customer_id = 3", "T2 o2 o4"),
        ("postgres", "UPDATE orders SET total = c.boss FROM staff c WHERE c.id = orders.id", "T2 T3 o1 s1 s2"),
        ("tsql", "UPDATE o SET o.total = 1 FROM orders AS o WHERE o.placed = 2", "T2 o4"),
        ("mysql", "UPDATE orders o JOIN staff s ON o.id = s.id SET o.total = s.boss", "T2 T3 o1 s1 s2"),
        ("sqlite", "DELETE FROM orders WHERE customer_id NOT IN (SELECT id FROM customers)", "T1 T2 c1 o2"),
        ("postgres", "DELETE FROM orders USING staff s WHERE s.id = orders.id", "T2 T3 o1 s1"),
        ("mysql", "DELETE o FROM orders o JOIN staff s ON o.id = s.id", "T2 T3 o1 s1"),
        ("snowflake", "MERGE INTO orders t USING staff s ON t.id = s.id WHEN MATCHED AND s.boss = 1"
                      " THEN UPDATE SET t.total = s.name WHEN NOT MATCHED THEN INSERT"
                      " (id) VALUES (s.id)", "T2 T3 o1 s1 s2 s3"),
        ("sqlite", "CREATE VIEW v AS SELECT name FROM customers", "T1 c2"),
        ("sqlite", "CREATE TABLE n (a INTEGER)", ""),
        ("postgres", "WITH gone AS (DELETE FROM orders WHERE total > 1 RETURNING id) SELECT id FROM gone", "T2 o1 o3"),
    ],
)  # fmt: skip
def test_of_statements_that_write_what_they_read_is_used(dialect: str, sql: str, objects: str) -> None:
    assert used(sql, dialect=dialect) == objects


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("-- nothing", "no statement"),
        ("hello world", "cannot be learned from"),
        ("SELECT FROM WHERE", "line 1"),
        ("SELECT name FROM customers WHERE (", "line 1"),
        ("SELECT name FROM customers; SELEC total FROM orders", "line 1"),
        ("SELECT 'open FROM customers", "words"),
        ("SELECT a\x00b FROM customers", r"control character U\+0000"),
        ("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, "nested too deeply"),
        ("SELECT " + "1," * 2_600_000 + "1", "more than 1,000,000"),
    ],
)  # fmt: skip
def test_what_is_no_statement_is_said_in_a_sentence(sql: str, says: str) -> None:
    with pytest.raises(UnreadableSql, match=says):
        read(sql)


def test_an_unknown_dialect_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UnreadableSql, match=r"'klingon'.*sqlite"):
        read("SELECT 1", dialect="klingon")


def test_long_chains_are_read_without_recursion() -> None:
    assert used("SELECT name FROM customers WHERE " + " OR ".join(f"id = {n}" for n in range(3_000))) == "T1 c1 c2"
    assert used(" UNION ".join(["SELECT name FROM customers"] * 2_000)) == "T1 c2"
    assert used("SELECT " + "total + " * 5_000 + "1 FROM orders") == "T2 o3"


def test_stars_over_stars_stay_small() -> None:
    chain = ", ".join(f"q{n} AS (SELECT * FROM q{n - 1} a, q{n - 1} b)" for n in range(1, 40))
    assert used(f"WITH q0 AS (SELECT * FROM orders), {chain} SELECT total FROM q39") == "T2 o3"


def test_nesting_that_people_write_is_read() -> None:
    sql = "SELECT total FROM orders"
    for _ in range(12):
        sql = f"SELECT total FROM ({sql}) WHERE total IN (SELECT (((total))) FROM orders)"
    assert used(sql) == "T2 o3"


@pytest.mark.parametrize(
    ("sql", "unclear"),
    [
        ("SELECT both.id FROM (SELECT * FROM customers, staff) AS both", "both.id"),
        ("SELECT ID FROM (SELECT * FROM customers, staff) AS both", "ID"),
        ("SELECT Code FROM parts", "Code"),
        ("SELECT p.CODE FROM (SELECT * FROM parts) AS p", "p.CODE"),
    ],
)
def test_of_columns_alike_the_first_is_not_guessed(sql: str, unclear: str) -> None:
    """Twice in a derived table, or alike but for case where neither is written so: it is reported, not chosen."""
    schema = schema_of({**SHOP, ("T4", "parts"): {"p1": "code", "p2": "cODE"}})
    found = read(sql, schema=schema)
    assert found.unresolved == (unclear,)
    assert not {"c1", "s1", "p1", "p2"} & set(found.objects)
