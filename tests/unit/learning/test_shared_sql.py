"""Real statements with right answers: the 2,094 of the shared data, each against its own catalogue."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from services.catalogue import read_catalogue
from services.learning.masking import mask
from services.learning.names import Schema
from services.learning.parsing import parse_sql
from services.learning.resolve import resolve


@pytest.mark.tier("test")
def test_statements_give_exactly_the_objects_they_use_and_fast(shared: Path) -> None:
    data = shared / "data"
    schemas = {
        file.stem: Schema(read_catalogue(file).objects)
        for benchmark in ("bird", "spider")
        for file in sorted((data / "discovery" / benchmark).glob("*.json"))
    }
    lines = [
        json.loads(line)
        for benchmark in ("bird", "spider")
        for line in (data / "sql" / f"{benchmark}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    started = time.process_time()
    wrong = []
    for line in lines:
        script = parse_sql(line["sql"], dialect=line["dialect"])
        found = resolve(script, schemas[line["domain"]])
        mask(script, strings=found.strings)
        if set(found.objects) != set(line["objects"]) or found.unresolved:
            wrong.append((line["id"], found.unresolved))
    seconds = time.process_time() - started
    assert len(lines) == 2_094
    assert wrong == []
    assert len(lines) / seconds > 400, f"{len(lines) / seconds:.0f} statements a second"
