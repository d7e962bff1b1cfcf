"""A dbt project's manifest: relations with their columns, and references from tests and constraints."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from graph.errors import InvalidInput
from services.catalogue import SourceCatalogue, read_catalogue


def column(name: str, description: Any = "", data_type: str | None = None, /, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "data_type": data_type, "meta": {}, "tags": [], **more}


def node(key: str, *columns: dict[str, Any], schema: str = "analytics", **more: Any) -> tuple[str, dict[str, Any]]:
    kind, _, name = key.split(".", 2)
    return key, {
        "resource_type": kind, "unique_id": key, "name": name, "alias": name, "database": "dwh", "schema": schema,
        "package_name": "shop", "description": "", "columns": {it["name"]: it for it in columns},
        "config": {"enabled": True, "materialized": "table"}, **more,
    }  # fmt: skip


def relationship(name: str, of: str, column: str, to: str, field: str, **more: Any) -> tuple[str, dict[str, Any]]:
    kwargs = {"to": to, "field": field, "column_name": column, "model": "{{ get_where_subquery(ref('x')) }}"}
    return f"test.shop.{name}", {
        "resource_type": "test", "column_name": column, "attached_node": of, "depends_on": {"nodes": [of]},
        "test_metadata": {"name": "relationships", "kwargs": kwargs, "namespace": None}, **more,
    }  # fmt: skip


CUSTOMERS = node(
    "model.shop.customers",
    column("Customer_Id", "the customer's key", "bigint"),
    column("segment", "kind of customer\n"),
    description="who buys, 客户\n",
    alias="dim_customers",
)
ORDERS = node("model.shop.orders", column("order_id"), column("customer_id"), column("country"), schema="marts")
COUNTRIES = node("seed.shop.countries", column("code", "ISO code", "text"))
RAW = (
    "source.shop.erp.orders",
    {
        "resource_type": "source", "name": "orders", "source_name": "erp", "identifier": "T_ORD", "schema": "erp",
        "database": "dwh", "description": "as the ERP has them",
        "columns": {"id": column("id"), "order_ref": column("order_ref")},
    },
)  # fmt: skip
MANIFEST: dict[str, Any] = {
    "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "dbt_version": "1.11.2"},
    "nodes": dict(
        [
            CUSTOMERS,
            ORDERS,
            COUNTRIES,
            node("model.shop.steps", column("x"), config={"materialized": "ephemeral"}),
            node("snapshot.shop.orders_history", column("order_id"), schema="history"),
            node("operation.shop.hook"),
            relationship("rel_customer", "model.shop.orders", "customer_id", "ref('customers')", "customer_id"),
        ]
    ),
    "sources": dict([RAW]),
}


def read(*more: tuple[str, dict[str, Any]], without: str = "") -> SourceCatalogue:
    manifest = deepcopy(MANIFEST)
    manifest["nodes"] |= dict(more)
    manifest["nodes"].pop(without, None)
    return read_catalogue(json.dumps(manifest), source="s")


def test_what_becomes_a_relation_is_read_with_its_columns() -> None:
    found = read()
    assert found.rejected == ()
    assert {item.id for item in found.objects if item.kind == "table"} == {
        "analytics.dim_customers", "marts.orders", "analytics.countries", "history.orders_history", "erp.T_ORD",
    }  # fmt: skip
    by_id = {item.id: item for item in found.objects}
    assert by_id["analytics.dim_customers"].description == "who buys, 客户"
    key = by_id["analytics.dim_customers.Customer_Id"]
    assert (key.description, key.data_type, key.table) == ("the customer's key", "bigint", "analytics.dim_customers")
    assert by_id["analytics.dim_customers.segment"].data_type is None


def test_a_test_of_relationships_is_a_reference() -> None:
    # the test writes the column in another case than the model that it refers to
    assert read().references == (("marts.orders.customer_id", "analytics.dim_customers.Customer_Id"),)


@pytest.mark.parametrize(
    "to", ["source('erp', 'orders')", "{{ source( 'erp' ,\"orders\") }}", "dwh.erp.T_ORD", "`erp`.`t_ord`"]
)
def test_sources_and_names_can_be_referred_to(to: str) -> None:
    more = relationship("r", "model.shop.orders", "order_id", to, "order_ref")
    assert ("marts.orders.order_id", "erp.T_ORD.order_ref") in read(more).references


def test_arguments_as_newer_versions_nest_them_and_tests_that_are_attached_to_nothing() -> None:
    key, test = relationship("r", "model.shop.orders", "country", "", "")
    test["test_metadata"]["kwargs"] = {
        "arguments": {"to": "ref('shop', 'countries')", "field": "code"},
        "model": "{{ get_where_subquery(ref('orders', v=2)) }}",
    }
    del test["attached_node"]
    assert ("marts.orders.country", "analytics.countries.code") in read((key, test)).references


def test_constraints_are_references() -> None:
    rule = {"type": "foreign_key", "to": "ref('countries')", "to_columns": ["code"]}
    on_column = node("model.shop.a", column("country", constraints=[rule, {"type": "not_null"}]))
    on_model = node("model.shop.b", column("c"), constraints=[rule | {"columns": ["c"]}])
    found = read(on_column, on_model)
    assert {("analytics.a.country", "analytics.countries.code"), ("analytics.b.c", "analytics.countries.code")} <= set(
        found.references
    )


def test_two_databases_are_told_apart_where_they_have_the_same_name() -> None:
    twin = node("model.other.orders", column("order_id"), schema="marts", database="lake")
    ids = {item.id for item in read(twin).objects if item.kind == "table"}
    assert {"dwh.marts.orders", "lake.marts.orders", "analytics.dim_customers"} <= ids


def test_what_is_odd_is_told_and_the_rest_is_read() -> None:
    found = read(
        ("model.shop.none", None),  # type: ignore[arg-type]
        node("model.shop.odd", column("a", 5), column("b"), column("b2", name="b\x00")),
        node("model.shop.nameless", alias="", name=""),
        relationship("lost", "model.shop.orders", "country", "ref('nowhere')", "code"),
        relationship("fieldless", "model.shop.orders", "country", "ref('countries')", None),  # type: ignore[arg-type]
        relationship("missing", "model.shop.gone", "x", "ref('countries')", "code"),
        relationship("odd", "model.shop.orders", "country", "ref('countries')", "code", test_metadata=5),
    )
    assert {r.item for r in found.rejected} >= {
        "model.shop.none", "analytics.odd.a", "test.shop.lost: ref('nowhere')", "test.shop.missing: ref('countries')",
        "test.shop.fieldless: ref('countries')",
    }  # fmt: skip
    assert "analytics.odd.b" in {item.id for item in found.objects}
    assert len(found.references) == 1


@pytest.mark.parametrize("text", ["{}", "[]", '{"nodes": []}', "5"])
def test_json_that_is_no_manifest_is_an_error(text: str) -> None:
    with pytest.raises(InvalidInput, match="manifest"):
        read_catalogue(text, format="dbt", source="s")
