"""Reported faults of the kind: a source that is damaged, or not whole, damaged what was there (`docs/faults.md`)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.wiring import Services
from graph.errors import Conflict, InvalidInput
from kit.values.spaces import Space, table
from services.catalogue import read_catalogue
from services.learning.lines import read_json
from services.learning.scripts import read_script

ROWS_A_SECOND = 200  # a floor that the slowest machine holds; what was reported was one row in 36 s
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(["ref('a')", "a", "id"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ("resource_type", "name", "alias", "schema", "database", "columns", "config", "test_metadata", "description")
NODES = st.dictionaries(
    st.sampled_from((*FIELDS, "attached_node", "depends_on", "constraints")), ODD | st.just("model")
)


@pytest.mark.fault(19)
@pytest.mark.parametrize("header", ["", '"open', ",,,", "\ufeff", "1,2,3", "a,a,a"])
def test_a_broken_header_hides_no_other_file_and_changes_none(
    space: Space, services: Services, tmp_path: Path, header: str
) -> None:
    (tmp_path / "good.csv").write_text("id,amount\n1,2\n", encoding="utf-8")
    (tmp_path / "odd.csv").write_text(f"{header}\n1,2,3\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    report = services.catalogue.import_catalogue(space.name, read_catalogue(tmp_path, source="csv"))
    assert {"good", "good.amount"} <= set(space.objects())
    assert any("odd.csv" in entry.item for entry in report.rejected) or "odd" in space.objects()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.fault(23)
def test_a_refresh_that_lacks_most_tables_is_refused_and_takes_nothing_that_people_made(space: Space) -> None:
    tables = [table(f"t{n}", x="") for n in range(10)]
    space.load(*tables, source="warehouse")
    space.load(table("mine", x=""), source="by hand")
    memory = space.remember("what I need", "t9.x", "mine.x")
    body = {"objects": [*tables[0], *tables[1]], "references": [], "source": "warehouse", "prune": True}
    refused = space.call("POST", "/objects", json=body)
    assert (refused.status_code, "force" in refused.text) == (409, True)
    assert len(space.objects()) == 22
    assert space.done("POST", "/objects", json=body | {"force": True})["gone"] == 16
    assert set(space.objects()) == {"t0", "t0.x", "t1", "t1.x", "mine", "mine.x"}
    kept = space.done("GET", f"/memories/{memory['id']}")
    assert (kept["suspended"], kept["missing"]) == (True, ["t9.x"])


def test_a_failed_refresh_through_the_service_writes_nothing(space: Space, services: Services) -> None:
    ddl = "".join(f"CREATE TABLE t{n} (x INT);" for n in range(5))
    services.catalogue.import_catalogue(space.name, read_catalogue(ddl, source="s"))
    with pytest.raises(Conflict):
        services.catalogue.import_catalogue(
            space.name, read_catalogue("CREATE TABLE new (x INT);", source="s"), prune=True
        )
    assert "new" not in space.objects()


@pytest.mark.fault(97)
def test_bulk_ingest_needs_no_model_and_is_fast(space: Space, services: Services) -> None:
    columns = ", ".join(f"c{n} INT" for n in range(19))
    ddl = "".join(f"CREATE TABLE t{n} ({columns});" for n in range(100))
    begun = time.perf_counter()
    report = services.catalogue.import_catalogue(space.name, read_catalogue(ddl, source="s"))
    assert report.imported == 2_000
    assert 2_000 / (time.perf_counter() - begun) > ROWS_A_SECOND
    lines = [json.dumps({"intent": f"question {n}", "sql": f"SELECT c1 FROM t{n % 100}"}) for n in range(400)]
    begun = time.perf_counter()
    assert services.learning.learn_log(space.name, read_json(lines)).learned == 400
    assert 400 / (time.perf_counter() - begun) > ROWS_A_SECOND / 10


@pytest.mark.fault(70)
@settings(max_examples=100, deadline=None)
@given(nodes=st.dictionaries(st.sampled_from("abcd"), NODES | ODD, max_size=4), sources=ODD)
def test_whatever_a_manifest_holds_is_imported_or_reported(nodes: Any, sources: Any) -> None:
    data = {"metadata": {"dbt_version": "1"}, "nodes": nodes, "sources": sources}
    found = read_catalogue(json.dumps(data), source="fuzz")
    ids = [item.id for item in found.objects]
    assert len(ids) == len(set(ids))


@pytest.mark.fault(70)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60) | st.text(alphabet='a1,;\t|"\n\ré', max_size=40).map(str.encode))
def test_whatever_a_csv_file_holds_is_imported_or_reported(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_bytes(data)
    found = read_catalogue(file, format="csv", source="fuzz")  # else what begins as SQLite does is a database
    assert found.objects or found.rejected


@pytest.mark.fault(70)
@settings(max_examples=100, deadline=None)
@given(script=st.text(alphabet="aS ;'\"`$-/*#\\\n1", max_size=60))
def test_whatever_a_script_holds_is_cut(script: str) -> None:
    try:
        statements = list(read_script(script))
    except InvalidInput:
        return
    assert [it.number for it in statements] == sorted(it.number for it in statements)
    assert all(1 <= it.number <= script.count("\n") + 1 for it in statements)
