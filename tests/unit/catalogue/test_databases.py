"""Live databases: what they describe is read, and nothing else is done; credentials are nobody's to see."""

from __future__ import annotations

import logging
import re
import sqlite3
from pathlib import Path

import pytest

from graph.errors import InvalidInput, RetinueError, SourceUnavailable
from kit.servers.postgres_clusters import PASSWORD, Cluster
from services.catalogue import SourceCatalogue, read_catalogue
from services.databases import name_of
from services.places import place_of

SHOP = """
CREATE TABLE Customer (id INTEGER PRIMARY KEY, "Full Name" VARCHAR(80), born DATE);
CREATE TABLE orders (id INTEGER PRIMARY KEY, buyer INTEGER REFERENCES customer, total NUMERIC(10, 2), blob_of BLOB, x);
CREATE VIEW spending AS SELECT buyer, sum(total) AS spent FROM orders GROUP BY buyer;
"""
CINEMA = """
CREATE SCHEMA sales; CREATE SCHEMA archive;
CREATE TYPE sales.rating AS ENUM ('G', 'PG', 'R');
CREATE TABLE public.language (language_id serial PRIMARY KEY, name text NOT NULL);
CREATE TABLE sales.film (film_id serial PRIMARY KEY, title varchar(255) NOT NULL, rated sales.rating,
  language_id int REFERENCES public.language, tags text[], "Odd Name.x" int, "Title" text);
COMMENT ON TABLE sales.film IS 'films that can be rented';
COMMENT ON COLUMN sales.film.title IS 'the film''s title, 题名';
CREATE TABLE sales.rental (customer_id int, film_id int REFERENCES sales.film, rented_at timestamptz,
  PRIMARY KEY (customer_id, film_id));
CREATE TABLE sales.payment (payment_id bigint, customer_id int, film_id int, amount numeric(5,2), paid date NOT NULL,
  FOREIGN KEY (customer_id, film_id) REFERENCES sales.rental) PARTITION BY RANGE (paid);
CREATE TABLE sales.payment_2025 PARTITION OF sales.payment FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE VIEW sales.revenue AS SELECT title, count(*) AS rentals FROM sales.film JOIN sales.rental USING (film_id)
  GROUP BY title;
COMMENT ON VIEW sales.revenue IS 'how often each film was rented';
CREATE MATERIALIZED VIEW archive.revenue AS SELECT * FROM sales.revenue;
CREATE TABLE archive.language (language_id int);
CREATE EXTENSION pg_stat_statements;
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop 100% ř.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(SHOP)
    connection.close()
    return file


@pytest.fixture(scope="module")
def cinema(postgres: Cluster) -> str:
    postgres.run("CREATE DATABASE cinema")
    postgres.run(CINEMA, database="cinema")
    return f"{postgres.url}/cinema"


def types(found: SourceCatalogue) -> dict[str, str | None]:
    return {item.id: item.data_type for item in found.objects}


def test_sqlite_is_read_by_its_file_and_left_as_it_was(shop: Path) -> None:
    before = shop.read_bytes()
    found = read_catalogue(shop)
    assert types(found) == {
        "Customer": None, "Customer.id": "INTEGER", "Customer.Full Name": "VARCHAR(80)", "Customer.born": "DATE",
        "orders": None, "orders.id": "INTEGER", "orders.buyer": "INTEGER", "orders.total": "NUMERIC(10, 2)",
        "orders.blob_of": "BLOB", "orders.x": None,
        "spending": None, "spending.buyer": "INTEGER", "spending.spent": None,
    }  # fmt: skip
    assert found.references == (("orders.buyer", "Customer.id"),)
    assert (found.rejected, found.source) == ((), f"sqlite:///{place_of(shop)}")
    assert shop.read_bytes() == before
    assert [path.name for path in shop.parent.iterdir()] == [shop.name]


def test_a_view_that_is_broken_keeps_nothing_else_from_being_read(shop: Path) -> None:
    with sqlite3.connect(shop) as connection:
        connection.executescript("CREATE VIEW broken AS SELECT * FROM missing")
    connection.close()
    found = read_catalogue(f"sqlite:///{shop}", source="s")
    assert [r.item for r in found.rejected] == ["broken"]
    assert len(found.objects) == 13


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file"):
        read_catalogue(f"sqlite:///{tmp_path / 'none.db'}")
    assert list(tmp_path.iterdir()) == []


def test_postgresql_is_read_with_its_schemas_comments_and_keys(cinema: str) -> None:
    found = read_catalogue(cinema)
    by_id = {item.id: item for item in found.objects}
    assert {item.id for item in found.objects if item.kind == "table"} == {
        "public.language", "sales.film", "sales.rental", "sales.payment", "sales.revenue",
        "archive.revenue", "archive.language",
    }  # fmt: skip
    assert by_id["sales.film"].description == "films that can be rented"
    assert by_id["sales.film.title"].description == "the film's title, 题名"
    assert by_id["sales.revenue"].description == "how often each film was rented"
    assert {key: by_id[key].data_type for key in by_id if key.startswith("sales.film.")} == {
        "sales.film.film_id": "INTEGER", "sales.film.title": "VARCHAR(255)", "sales.film.rated": "sales.rating",
        "sales.film.language_id": "INTEGER", "sales.film.tags": "TEXT[]", 'sales.film."Odd Name.x"': "INTEGER",
        "sales.film.Title": "TEXT",
    }  # fmt: skip
    assert found.references == (
        ("sales.film.language_id", "public.language.language_id"),
        ("sales.payment.customer_id", "sales.rental.customer_id"),
        ("sales.payment.film_id", "sales.rental.film_id"),
        ("sales.rental.film_id", "sales.film.film_id"),
    )
    assert found.rejected == ()


def test_one_schema_can_be_chosen(cinema: str) -> None:
    found = read_catalogue(cinema, schemas=["archive"])
    assert {item.id.split(".")[0] for item in found.objects} == {"archive"}
    with pytest.raises(InvalidInput, match="no such schema"):
        read_catalogue(cinema, schemas=["nowhere"])


def test_a_database_is_only_read_in_a_transaction_that_can_do_no_more(cinema: str, postgres: Cluster) -> None:
    before = len(postgres.log())
    read_catalogue(cinema)
    said = postgres.log()[before:]
    assert "READ ONLY" in said
    asked = re.findall(r"(?:statement|execute [^:]*): *\s*(\w+)", said)
    assert asked
    assert {word.upper() for word in asked} <= {"BEGIN", "SELECT", "SHOW", "ROLLBACK", "SAVEPOINT", "RELEASE"}


@pytest.mark.parametrize(
    "url",
    [
        "{base}/none",
        "postgresql://retinue:{wrong}@127.0.0.1:{port}/cinema",
        "postgres://retinue:{wrong}@127.0.0.1:1/cinema",
        "postgresql+psycopg://retinue:{raw}@127.0.0.1:{port}/cinema",
        "postgresql://retinue:{wrong}@127.0.0.1:none/cinema",
        "postgresql://127.0.0.1:1/x?user=u&password={wrong}",
        "nosuch://retinue:{wrong}@host/x",
    ],
)
def test_the_password_is_in_no_error_and_no_log(url: str, postgres: Cluster, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = "s3cret%2Fw%40rd"
    given = url.format(base=postgres.url, port=postgres.port, wrong=wrong + "x", raw=PASSWORD)
    with pytest.raises(RetinueError) as raised:
        read_catalogue(given)
    assert isinstance(raised.value, InvalidInput | SourceUnavailable)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    told = f"{raised.value} {caplog.text} {raised.value.asked} {raised.value.found}"
    assert not [part for part in ("s3cret", "w@rd", "w%40rd") if part in told], told


def test_sources_are_named_without_credentials_driver_and_options() -> None:
    assert name_of("postgresql+psycopg://me:secret@db.example:5432/dwh?sslmode=require") == (
        name_of("postgres://you:other@db.example:5432/dwh")
    )
    assert name_of("mysql://a:b@h/shop") == "mysql://h/shop"
