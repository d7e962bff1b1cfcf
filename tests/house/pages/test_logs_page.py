"""The page of the study of logs says what its kept summary says, and one repository run anew gives these rows."""

import importlib.util
import json
from dataclasses import replace
from types import ModuleType

import pytest

from api.wiring import now
from kit.installation import CHECKOUT
from services.studies.logs.study import LogsStudy
from services.studies.running import run

FOLDER = CHECKOUT / "docs" / "studies"


@pytest.fixture(scope="module")
def page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("logs_page", FOLDER / "logs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_kept_summary_and_misses_no_bar(page: ModuleType) -> None:
    kept = json.loads(page.SUMMARY.read_text(encoding="utf-8"))
    made = page.page(kept)
    assert page.PAGE.read_text(encoding="utf-8") == made
    assert "**missed**" not in made
    assert page.PLOT.stat().st_size > 10_000
    kept["rows"][-1]["held"] = 0.0
    assert page.page(kept) != made


def test_one_repository_asked_anew_gives_the_kept_rows(
    page: ModuleType, shared: object, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "condensation"  # type: ignore[operator]
    folder.mkdir()
    (folder / "pytest-dev.jsonl.gz").symlink_to(page.FILES / "pytest-dev.jsonl.gz")
    summary = run(LogsStudy(replace(page.PROTOCOL, data=(str(folder),)), encoder=None), None, clock=now)
    kept = json.loads(page.SUMMARY.read_text(encoding="utf-8"))
    fresh = [{name: it for name, it in row.items() if name != "torn"} for row in summary["rows"]]
    assert len(fresh) == 35
    for row in fresh:
        assert row in kept["rows"]
