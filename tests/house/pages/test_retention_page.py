"""The page of the retention studies says what its kept rows say, and a slice of them run anew gives these rows."""

import importlib.util
import json
import re
from dataclasses import replace

import pytest

from api.wiring import now
from kit.installation import CHECKOUT
from services.studies.retention.study import RetentionStudy
from services.studies.running import run

FOLDER = CHECKOUT / "docs" / "studies"


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("retention_page", FOLDER / "retention.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_table_is_that_of_the_kept_rows(page):
    text = page.PAGE.read_text(encoding="utf-8")
    made = page.tables(*page.kept())
    assert page.with_tables(text, made) == text
    assert set(re.findall(r"<!-- table: (\w+) -->", text)) == set(made)
    assert "**missed**" not in made["bars"]
    first = made["own"].splitlines()[2]
    assert page.with_tables(text.replace(first, first.replace("0", "1")), made) == text


def test_every_picture_is_there(page):
    for name in re.findall(r"\]\(([\w.]+\.png)\)", page.PAGE.read_text(encoding="utf-8")):
        assert (FOLDER / name).stat().st_size > 10_000, name


@pytest.mark.parametrize("name", ["own", "weak", "words", "budget", "density", "depth"])
def test_a_slice_of_each_study_run_anew_gives_the_kept_rows(page, name, tmp_path):
    protocol = page.STUDIES[name]
    if protocol.sweep in (None, "budget", "depth"):
        suite = {"own": "rivals", "weak": "weak", "words": "noise_kufang"}.get(name, "noise")
        protocol = replace(protocol, suite=(suite,))
    run(RetentionStudy(replace(protocol, repeat=1), encoder=None), tmp_path, clock=now)
    rows = map(json.loads, (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines())
    kept = [row for row in page.kept()[0] if row["study"] == name]
    fresh = list(page.thin(name, rows))
    assert len(fresh) >= 3
    for row in fresh:
        assert row in kept


def test_the_kept_rows_are_all_there(page):
    rows, figures = page.kept()
    assert {row["study"] for row in rows} == set(page.STUDIES)
    assert (
        len({row["scenario"].split("/")[0] for row in rows if (row["study"], row["suite"]) == ("own", "stress")}) >= 45
    )
    assert figures["agreed"]["hashing-ascii"][0] == figures["agreed"]["hashing-ascii"][1] > 2_000
    equal, count = figures["agreed"]["neural"]
    assert equal >= 0.996 * count
