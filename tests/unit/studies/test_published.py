"""Benchmarks as BIRD and Spider publish them: registries with descriptions, tasks with gold, faults by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graph.errors import InvalidInput
from services.catalogue import read_catalogue
from services.studies.discovery.published import read_published

SCHEMA: dict[str, Any] = {
    "db_id": "zoo",
    "table_names_original": ["Animal", "keeper"],
    "table_names": ["animal", "keeper"],
    "column_names_original": [[-1, "*"], [0, "ID"], [0, "Legs (n)"], [0, "keeper_id"], [1, "id"], [1, "name"]],
    "column_names": [[-1, "*"], [0, "id"], [0, "number of legs"], [0, "keeper"], [1, "id"], [1, "name"]],
    "column_types": ["text", "number", "number", "number", "number", "text"],
    "primary_keys": [1, 4],
    "foreign_keys": [[3, 4]],
}
JOINED = "SELECT T2.name FROM Animal AS T1 JOIN keeper AS T2 ON T1.keeper_id = T2.id WHERE T1.`Legs (n)` > 2"
GOLD = ["Animal", "Animal.Legs (n)", "Animal.keeper_id", "keeper", "keeper.id", "keeper.name"]


def write(folder: Path, **files: object) -> Path:
    for name, data in files.items():
        (folder / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def test_bird_is_read_with_its_descriptions(tmp_path: Path) -> None:
    described = tmp_path / "dev_databases" / "zoo" / "database_description"
    described.mkdir(parents=True)
    head = "original_column_name,column_name,column_description,data_format,value_description\n"
    text = head + 'Legs (n),number of legs,"how many, as counted",integer,0: snakes – none\n'
    (described / "animal.csv").write_bytes(text.encode("windows-1252"))
    asked = {"question_id": 7, "db_id": "zoo", "question": "Who keeps  many legs?", "evidence": "", "SQL": JOINED}
    found = read_published(write(tmp_path, dev_tables=[SCHEMA], dev=[asked | {"difficulty": "simple"}]))
    assert found.rejected == ()
    [domain] = found.domains
    assert (domain["domain"], domain["references"]) == ("zoo", [["Animal.keeper_id", "keeper.id"]])
    assert domain["tasks"] == [
        {"id": "7", "intent": "Who keeps many legs?", "objects": GOLD, "difficulty": "simple", "sql": JOINED}
    ]
    by_id = {item["id"]: item for item in domain["objects"]}
    assert by_id["Animal.Legs (n)"]["description"] == "number of legs; how many, as counted; 0: snakes – none"
    assert (by_id["Animal.Legs (n)"]["table"], by_id["Animal.Legs (n)"]["data_type"]) == ("Animal", "number")
    read = read_catalogue(json.dumps(domain), source="zoo")
    assert (len(read.objects), len(read.references), read.rejected) == (7, 1, ())


def test_spider_is_read_from_all_its_files_of_questions_or_from_one(tmp_path: Path) -> None:
    asked = {"db_id": "zoo", "question": "Names?", "query": "SELECT name FROM keeper", "query_toks": ["select"]}
    write(tmp_path, tables=[SCHEMA], dev=[asked], train_spider=[asked, asked], other={"a": 1})
    [domain] = read_published(tmp_path).domains
    assert [task["id"] for task in domain["tasks"]] == ["dev-0", "train_spider-0", "train_spider-1"]
    assert domain["tasks"][0]["objects"] == ["keeper", "keeper.name"]
    assert domain["tasks"][0]["difficulty"] == "unrated"
    [domain] = read_published(tmp_path / "dev.json").domains
    assert [task["id"] for task in domain["tasks"]] == ["dev-0"]


def test_what_is_wrong_is_told_by_its_place_and_the_rest_is_read(tmp_path: Path) -> None:
    good = {"db_id": "zoo", "question": "Names?", "query": "SELECT name FROM keeper"}
    wrong: list[Any] = [
        {"db_id": "zoo", "question": "?", "query": "SELEC name FORM keeper"},
        {"db_id": "zoo", "question": "?", "query": "SELECT nix FROM keeper"},
        {"db_id": "zoo", "question": "?", "query": "SELECT 1"},
        {"db_id": "moon", "question": "?", "query": "SELECT 1"},
        {"db_id": "zoo", "question": " ", "query": "SELECT name FROM keeper"},
        {"db_id": "zoo", "question": "?"},
        None,
    ]
    found = read_published(write(tmp_path, tables=[SCHEMA, {"db_id": "odd"}, 5], dev=[good, *wrong, good]))
    assert [task["id"] for task in found.domains[0]["tasks"]] == ["dev-0", f"dev-{len(wrong) + 1}"]
    assert [entry.item for entry in found.rejected] == [
        "schema odd",
        *(f"dev.json[{n + 1}]" for n in range(len(wrong))),
    ]
    assert "nix" in found.rejected[2].reason


def test_a_folder_without_a_benchmark_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"tables\.json"):
        read_published(tmp_path)
    with pytest.raises(InvalidInput, match="questions"):
        read_published(write(tmp_path, tables=[SCHEMA]))
    (tmp_path / "dev.json").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInput):
        read_published(tmp_path / "dev.json")
