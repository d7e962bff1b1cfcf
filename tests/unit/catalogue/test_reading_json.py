"""Catalogues in JSON: the form of the shared data, and what becomes of items that do not have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graph.errors import InvalidInput
from services.catalogue import SourceCatalogue, read_catalogue
from services.places import place_of


def read(*objects: Any, references: Any = ()) -> SourceCatalogue:
    return read_catalogue(json.dumps({"objects": objects, "references": list(references), "tasks": []}), source="s")


TABLE = {"id": "t", "kind": "table", "name": "t"}
COLUMN = {"id": "t.a", "kind": "attribute", "table": "t", "name": "a", "description": "x", "data_type": "int"}


def test_objects_and_references_are_read_and_the_rest_is_passed_over() -> None:
    found = read(TABLE, COLUMN, {**COLUMN, "id": "t.b", "name": "b", "odd": 1}, references=[["t.a", "t.b"]])
    assert [(o.id, o.kind, o.table, o.data_type, o.source) for o in found.objects] == [
        ("t", "table", None, None, "s"),
        ("t.a", "attribute", "t", "int", "s"),
        ("t.b", "attribute", "t", "int", "s"),
    ]
    assert (found.references, found.rejected) == ((("t.a", "t.b"),), ())


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (None, "no object"),
        (5, "no object"),
        (["t"], "no object"),
        ({}, "`kind`"),
        ({**TABLE, "kind": "view"}, "'view'"),
        ({**TABLE, "kind": ["table"]}, "`kind`"),
        ({**TABLE, "id": None}, "`id` is missing"),
        ({**TABLE, "id": ""}, "`id` is empty"),
        ({**TABLE, "id": "\u200b"}, "`id` is empty"),
        ({**TABLE, "id": 5}, "a number, not text"),
        ({**TABLE, "id": "a\x00"}, "U+0000"),
        ({**TABLE, "id": "a\nb"}, "U+000A"),
        ({**TABLE, "id": "\ud800"}, "surrogate"),
        ({**TABLE, "id": "x" * 1_001}, "more than 1,000"),
        ({**TABLE, "name": " "}, "`name` is empty"),
        ({**TABLE, "name": {"a": 1}}, "an object, not text"),
        ({**TABLE, "description": "a\x00b"}, "U+0000"),
        ({**TABLE, "description": ["a"]}, "a list, not text"),
        ({**TABLE, "table": "u"}, "has a `table` itself"),
        ({**COLUMN, "table": None}, "`table` is missing"),
        ({**COLUMN, "table": "t.a"}, "is itself"),
        ({**COLUMN, "data_type": 5}, "a number, not text"),
    ],
)
def test_an_item_that_is_none_is_left_out_with_its_reason(item: Any, says: str) -> None:
    found = read({**TABLE, "id": "good"}, item)
    assert [o.id for o in found.objects] == ["good"]
    [rejected] = found.rejected
    assert says in rejected.reason
    assert rejected.item


def test_an_id_that_comes_twice_is_taken_once() -> None:
    found = read(TABLE, {**TABLE, "name": "other"})
    assert [o.name for o in found.objects] == ["t"]
    assert [(r.item, "twice" in r.reason) for r in found.rejected] == [("t", True)]


@pytest.mark.parametrize("reference", [None, "t.a", [], ["a"], ["a", "b", "c"], ["a", None], [["a"], "b"], ["a", "a"]])
def test_a_reference_that_is_none_is_left_out(reference: Any) -> None:
    found = read(TABLE, COLUMN, references=[reference])
    assert (found.references, [r.item for r in found.rejected]) == ((), ["references[0]"])


@pytest.mark.parametrize("text", ["{", "5", "[]", "null", "{}", '{"objects": {}}', '{"objects": [], "references": 5}'])
def test_a_file_that_is_no_catalogue_is_an_error(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_catalogue(text, format="json", source="s")


def test_files_are_read_by_their_name_and_name_their_source(tmp_path: Path) -> None:
    file = tmp_path / "shop.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps({"objects": [TABLE]}).encode())
    assert read_catalogue(file).source == place_of(file)
    ddl = tmp_path / "shop.SQL"
    ddl.write_text("CREATE TABLE t (a INTEGER)", encoding="utf-8")
    assert [o.id for o in read_catalogue(ddl, source="x").objects] == ["t", "t.a"]
    with pytest.raises(InvalidInput, match=r"absent\.json"):
        read_catalogue(tmp_path / "absent.json")
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_catalogue(file)
    with pytest.raises(InvalidInput, match="no such form"):
        read_catalogue("{}", format="xml")
    with pytest.raises(InvalidInput):
        read_catalogue("{}", source="a\x00")


def test_the_shared_catalogues_are_read_whole(shared: Path) -> None:
    files = sorted((shared / "data" / "discovery").glob("*/*.json"))
    assert len(files) >= 28
    for file in files:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = read_catalogue(file)
        assert found.rejected == ()
        assert [o.id for o in found.objects] == [o["id"] for o in data["objects"]]
        assert [list(pair) for pair in found.references] == data["references"]
