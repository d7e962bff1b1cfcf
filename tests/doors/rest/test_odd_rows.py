"""Reported faults of the kind: one odd record broke, emptied or bloated a whole import (`docs/faults.md`)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.wiring import Services
from graph.errors import InvalidInput
from kit.values.spaces import Space, table
from services.catalogue import CatalogueService, read_catalogue

ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ("id", "kind", "name", "table", "description", "data_type")
ROWS = ODD | st.dictionaries(st.sampled_from(FIELDS), ODD | st.sampled_from(["table", "attribute", "t"]))


@pytest.mark.fault(71)
def test_one_bad_entry_of_a_thousand_is_reported_and_the_rest_is_in(space: Space) -> None:
    rows: list[Any] = [*table("wide", **{f"c{n}": "" for n in range(998)})]
    rows.insert(500, {"id": "wide.broken", "kind": "attribute", "table": "nowhere", "name": "broken"})
    report = space.done("POST", "/objects", json={"objects": rows, "references": []})
    assert report["imported"] == 999
    assert len(report["rejected"]) == 1
    assert "wide.broken" in str(report["rejected"][0]["item"])
    assert len(space.objects()) == 999


@pytest.mark.fault(70)
@pytest.mark.parametrize("row", [None, 7, "x", [], {}, {"id": None}, {"id": "a", "kind": "view", "name": "a"}])
def test_rows_that_are_no_objects_are_named_not_fatal(space: Space, row: Any) -> None:
    report = space.done("POST", "/objects", json={"objects": [*table("good"), row], "references": [None, ["a"], 3]})
    assert report["imported"] == 1
    assert len(report["rejected"]) == 4
    assert space.objects() == ["good"]


@pytest.mark.fault(70)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(objects=st.lists(ROWS, max_size=6) | ODD, references=st.lists(ODD, max_size=3) | ODD)
def test_whatever_a_file_holds_is_imported_or_reported(objects: Any, references: Any) -> None:
    text = json.dumps({"objects": objects, "references": references})
    try:
        catalogue = read_catalogue(text, format="json", source="fuzz")
    except InvalidInput:
        return  # the file as a whole is no catalogue, and said so
    if isinstance(objects, list):
        assert len(catalogue.objects) <= len(objects)
        assert len(catalogue.objects) + len(catalogue.rejected) >= len(objects)


@pytest.mark.fault(63)
@pytest.mark.parametrize("place", ["id", "name", "description", "table"])
def test_nul_bytes_are_refused_or_dropped_and_the_rest_is_in(space: Space, place: str) -> None:
    odd = {"id": "odd.x", "kind": "attribute", "table": "odd", "name": "x", "description": "y"}
    report = space.done(
        "POST", "/objects", json={"objects": [*table("odd"), {**odd, place: "a\x00b"}], "references": []}
    )
    assert report["imported"] + len(report["rejected"]) == 2
    assert "\x00" not in str(space.walk("/objects"))
    assert space.found("odd")[0] == "odd"


@pytest.mark.fault(63)
@pytest.mark.parametrize("field", ["intent", "sql"])
def test_nul_bytes_in_a_question_or_a_statement_break_nothing(space: Space, field: str) -> None:
    space.load(table("odd", x=""))
    body = {"intent": "x", "sql": "SELECT x FROM odd", field: "a\x00b"}
    assert space.call("POST", "/learn", json=body).status_code < 500
    assert space.call("POST", "/discover", json={"intent": "a\x00b"}).status_code in {200, 422}
    assert "\x00" not in str(space.memories())


def test_a_file_is_read_without_a_store(services: Services, space: Space) -> None:
    report = CatalogueService(services.store, None).import_catalogue(
        space.name, read_catalogue("CREATE TABLE a (b INTEGER);", format="sql", source="ddl")
    )
    assert (report.imported, report.rejected) == (2, ())
