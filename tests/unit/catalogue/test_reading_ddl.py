"""Catalogues out of SQL DDL: columns, types, comments and keys in several dialects, dumps, and what is no DDL."""

from __future__ import annotations

import pytest

from graph.errors import InvalidInput
from services.catalogue import SourceCatalogue, read_catalogue


def read(sql: str, *, dialect: str = "") -> SourceCatalogue:
    return read_catalogue(sql, format="ddl", source="s", dialect=dialect)


def shown(catalogue: SourceCatalogue) -> list[str]:
    """Each object as one line: its id, type and description."""
    return [f"{o.id} {o.data_type or '-'} {o.description or '-'}" for o in catalogue.objects]


def test_columns_types_comments_and_keys() -> None:
    found = read(
        """
        CREATE TABLE IF NOT EXISTS shop.customers (
          id INT PRIMARY KEY, -- who it is
          -- where they live
          town VARCHAR(20) NOT NULL,
          -- gone VARCHAR(20),
          boss INT COMMENT 'their boss' REFERENCES shop.customers (id) ON DELETE CASCADE
        ) COMMENT = 'who buys';
        CREATE TABLE shop.orders (
          a INT, b INT, who INT REFERENCES customers, total DECIMAL(10,2),
          PRIMARY KEY (a, b), CONSTRAINT x CHECK (total > 0), UNIQUE (who)
        );
        CREATE TABLE shop.lines (a INT, b INT, CONSTRAINT fk FOREIGN KEY (a, b) REFERENCES orders);
        """,
        dialect="mysql",
    )
    assert shown(found) == [
        "shop.customers - who buys",
        "shop.customers.id INT who it is",
        "shop.customers.town VARCHAR(20) where they live",
        "shop.customers.boss INT their boss",
        "shop.orders - -",
        "shop.orders.a INT -",
        "shop.orders.b INT -",
        "shop.orders.who INT -",
        "shop.orders.total DECIMAL(10, 2) -",
        "shop.lines - -",
        "shop.lines.a INT -",
        "shop.lines.b INT -",
    ]
    assert set(found.references) == {
        ("shop.customers.boss", "shop.customers.id"),
        ("shop.orders.who", "shop.customers.id"),
        ("shop.lines.a", "shop.orders.a"),
        ("shop.lines.b", "shop.orders.b"),
    }
    assert found.rejected == ()


def test_names_with_dots_and_quotes_make_ids_that_stay_apart() -> None:
    found = read('CREATE TABLE "a.b" ("c""d" INT); CREATE TABLE a.b (c INT); CREATE TABLE "größe" ("顧客 名" INT)')
    assert [o.id for o in found.objects] == ['"a.b"', '"a.b"."c""d"', "a.b", "a.b.c", "größe", "größe.顧客 名"]
    assert [o.name for o in found.objects] == ["a.b", 'c"d', "b", "c", "größe", "顧客 名"]


@pytest.mark.parametrize(
    ("dialect", "sql", "lines"),
    [
        ("sqlite", "CREATE TABLE t (a, [b c] TEXT)", ["t - -", "t.a - -", "t.b c TEXT -"]),
        ("tsql", "CREATE TABLE [dbo].[T]([Id] [int] NOT NULL, CONSTRAINT [P] PRIMARY KEY CLUSTERED ([Id]))\nGO\n"
                 "CREATE TABLE [dbo].[U]([Id] [int])\nGO",
         ["dbo.T - -", "dbo.T.Id INTEGER -", "dbo.U - -", "dbo.U.Id INTEGER -"]),
        ("bigquery", "CREATE TABLE `p.d.t` (a STRING OPTIONS(description='said')) OPTIONS(description='told')",
         ["p.d.t - told", "p.d.t.a STRING said"]),
        ("snowflake", "CREATE OR REPLACE TABLE S.T (A NUMBER(38,0) COMMENT 'aa', B VARIANT) COMMENT = 'tt'",
         ["S.T - tt", "S.T.A DECIMAL(38, 0) aa", "S.T.B VARIANT -"]),
        ("postgres", "CREATE TABLE t (a int[], b jsonb); COMMENT ON TABLE t IS 'tt'; COMMENT ON COLUMN t.a IS 'it''s'",
         ["t - tt", "t.a INT[] it's", "t.b JSONB -"]),
        ("mysql", "CREATE TABLE t (a INT, KEY k (a)); CREATE TABLE u LIKE t",
         ["t - -", "t.a INT -", "u - -", "u.a INT -"]),
    ],
)  # fmt: skip
def test_other_dialects(dialect: str, sql: str, lines: list[str]) -> None:
    for named in (dialect, ""):
        found = read(sql, dialect=named)
        assert found.rejected == ()
        assert [line.split()[0] for line in shown(found)] == [line.split()[0] for line in lines]
    assert shown(read(sql, dialect=dialect)) == lines


def test_tables_are_followed_through_a_script() -> None:
    found = read(
        """
        CREATE TABLE a (x INT, y INT); CREATE TABLE b (id INT PRIMARY KEY); CREATE TABLE gone (z INT);
        ALTER TABLE a ADD COLUMN z TEXT; ALTER TABLE a DROP COLUMN y; ALTER TABLE a RENAME COLUMN x TO b_id;
        ALTER TABLE ONLY a ADD CONSTRAINT k FOREIGN KEY (b_id) REFERENCES b (id);
        DROP TABLE IF EXISTS gone; DROP TABLE never; ALTER TABLE b RENAME TO c;
        """,
        dialect="postgres",
    )
    assert [o.id for o in found.objects] == ["a", "a.b_id", "a.z", "c", "c.id"]
    assert found.references == (("a.b_id", "c.id"),)
    assert found.rejected == ()


def test_views_have_the_columns_that_their_queries_return() -> None:
    found = read(
        """
        CREATE TABLE t (a INT, b INT);
        CREATE VIEW v AS SELECT a, b AS c, count(*) AS n FROM t;
        CREATE VIEW w (d, e) AS SELECT a, b FROM t;
        CREATE VIEW x AS SELECT t.*, 1 AS one FROM t;
        CREATE TABLE y AS SELECT * FROM t;
        CREATE VIEW z AS SELECT count(*) FROM t;
        CREATE VIEW q AS SELECT * FROM elsewhere;
        """
    )
    made = " ".join(o.id for o in found.objects if o.kind == "attribute")
    assert made == "t.a t.b v.a v.c v.n w.d w.e x.a x.b x.one y.a y.b"
    assert [r.item.split(":")[0] for r in found.rejected] == ["statement 6", "statement 7"]


def test_a_dump_with_data_and_commands_is_no_trouble() -> None:
    found = read(
        r"""
        SET client_encoding = 'UTF8';
        SELECT pg_catalog.set_config('search_path', '', false);
        CREATE SCHEMA shop;
        CREATE EXTENSION IF NOT EXISTS citext;
        CREATE SEQUENCE shop.s;
        CREATE TABLE shop.t (a integer NOT NULL, b text);
        ALTER TABLE shop.t OWNER TO ann;
        CREATE INDEX i ON shop.t (a);
        INSERT INTO shop.t VALUES (1, 'x;y');
COPY shop.t (a, b) FROM stdin;
1	it's "odd
\.
        GRANT SELECT ON shop.t TO ann;
        """,
        dialect="postgres",
    )
    assert [o.id for o in found.objects] == ["shop.t", "shop.t.a", "shop.t.b"]
    assert found.rejected == ()


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("FROBNICATE everything", "no statement that describes"),
        ("FROBNICATE all of it", "parsed"),
        ("CREATE TABLE broken (a INT", "parsed"),
        ("CREATE TABLE good (b INT)", "created twice"),
        ("CREATE TABLE twice (a INT, A INT)", "comes twice"),
        ("ALTER TABLE absent ADD COLUMN a INT", "not created before"),
        ("COMMENT ON COLUMN good.b IS 'x'", "no column 'b'"),
        ("hello", "no statement that describes"),
        ("CREATE TABLE deep (a INT DEFAULT " + "(" * 5_000 + "1" + ")" * 5_000 + ")", "nested too deeply"),
    ],
)
def test_a_statement_that_cannot_be_used_is_rejected_and_the_rest_is_read(statement: str, says: str) -> None:
    found = read(f"CREATE TABLE good (a INT); {statement}; CREATE TABLE last (a INT)", dialect="postgres")
    assert {"good", "good.a", "last", "last.a"} <= {o.id for o in found.objects}
    [rejected] = found.rejected
    assert rejected.item.startswith("statement 2: ")
    assert says in rejected.reason


def test_keys_that_lead_nowhere_are_rejected() -> None:
    found = read("CREATE TABLE t (a INT); CREATE TABLE u (b INT REFERENCES t (z), c INT REFERENCES t)")
    assert found.references == ()
    assert [r.item for r in found.rejected] == ["foreign key of u to t"] * 2


@pytest.mark.parametrize(("sql", "dialect"), [("CREATE TABLE t (a INT)", "klingon"), ("SELECT 'open", "postgres")])
def test_what_is_no_sql_is_an_error(sql: str, dialect: str) -> None:
    with pytest.raises(InvalidInput):
        read(sql, dialect=dialect)
