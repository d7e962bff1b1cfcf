"""`retinue export` and `retinue import` as people call them: files, pipes, exit codes, what is said."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Retinue = Callable[..., Any]


@pytest.fixture
def file(retinue: Retinue, bank: Path, tmp_path: Path) -> Path:
    """An export of two workspaces, one of them the bank with what was learnt of it."""
    retinue("catalog", "import", str(bank))
    retinue("learn", "how much was lent", "--sql", "select amount from loan")
    retinue("workspace", "create", "other")
    out = tmp_path / "out.jsonl"
    done = retinue("export", str(out), "--json")
    assert (done.code, done.value["workspaces"], done.value["moved"]) == (0, ["default", "other"], [])
    assert done.value["rows"] == out.read_bytes().count(b"\n") - 2
    assert done.value["rows_per_second"] > 0
    return out


def test_a_graph_moves_into_another_store_and_back(retinue: Retinue, file: Path, tmp_path: Path) -> None:
    elsewhere = {"RETINUE_STORE": f"sqlite:///{tmp_path / 'elsewhere.db'}"}
    first = retinue("import", str(file), "--json", **elsewhere)
    assert (first.code, first.value["updated"], first.value["rejections"]) == (0, 0, 0)
    again = retinue("import", str(file), **elsewhere)
    assert again.code == 0
    assert again.out.startswith("0 imported, 0 updated,")
    assert "rows/s" in again.out
    back = tmp_path / "back.jsonl"
    assert retinue("export", str(back), **elsewhere).code == 0
    assert back.read_bytes() == file.read_bytes()
    asked = retinue("discover", "how much was lent", "--json", **elsewhere).value["results"]
    assert asked == retinue("discover", "how much was lent", "--json").value["results"]
    assert asked[0]["memories"]


def test_through_a_pipe(retinue: Retinue, file: Path) -> None:
    out = retinue("export", "-")
    assert (out.code, out.out) == (0, file.read_text(encoding="utf-8"))
    assert "rows/s" in out.err
    back = retinue("import", "-", stdin=out.out)
    assert (back.code, back.out.partition(" unchanged")[0]) == (
        0,
        f"0 imported, 0 updated, {out.out.count(chr(10)) - 2}",
    )


def test_only_some(retinue: Retinue, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "some.jsonl"
    assert retinue("export", str(out), "--only", "other", "--json").value["workspaces"] == ["other"]
    assert retinue("export", str(out), "--only", "nowhere").code == 3
    assert out.read_bytes().count(b"\n") == 3, "what could not be written anew is as it was"
    assert retinue("import", str(file), "--only", "other", "--json").value["workspaces"] == ["other"]
    missing = retinue("import", str(file), "--only", "other", "--only", "nowhere")
    assert (missing.code, "'nowhere'" in missing.err) == (3, True)


def test_a_bad_line_and_a_lost_end_are_said(retinue: Retinue, file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    bad = retinue("import", "-", "--json", stdin="\n".join([*lines[:2], "{}", *lines[2:-2], lines[-2][:-5]]))
    assert bad.code == 5
    assert bad.value["truncated"]
    assert [entry["line"] for entry in bad.value["rejected"]] == [3, len(lines)]
    assert "Rejected line 3: `row` is missing" in bad.err


def test_another_file_is_refused(retinue: Retinue, bank: Path) -> None:
    refused = retinue("import", str(bank), "--json")
    assert (refused.code, refused.value["error"]["type"]) == (5, "invalid-input")
    assert "catalog import" in refused.err
    assert retinue("import", str(bank.with_name("nowhere"))).code == 3


def test_what_breaks_off_leaves_the_older_file_and_nothing_beside(
    retinue: Retinue, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, beside = file.read_bytes(), sorted(file.parent.iterdir())

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    failed = retinue("export", str(file), RETINUE_STORE="memory://")
    assert (failed.code, "No space left" in failed.err) == (5, True)
    assert (file.read_bytes(), sorted(file.parent.iterdir())) == (before, beside)


def test_where_it_cannot_be_written(retinue: Retinue, file: Path, tmp_path: Path) -> None:
    assert retinue("export", str(tmp_path / "no" / "folder.jsonl")).code == 3
    assert retinue("export", str(tmp_path)).code == 3
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    assert retinue("export", str(link)).code == 0
    assert link.is_symlink()


@pytest.mark.parametrize("arguments", [("export", "-", "--json"), ("export", "x", "--workspace", "w")])
def test_options_that_do_not_go_together(retinue: Retinue, arguments: tuple[str, ...]) -> None:
    assert retinue(*arguments).code == 2


def test_long_moves_say_how_fast_they_go(retinue: Retinue, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.cli.progress.LOGGED_SECONDS", 0.0)
    said = retinue("import", str(file), "--json").err
    assert "importing: " in said
    assert " rows/s" in said
    assert json.loads(retinue("import", str(file), "--json").out)["unchanged"] > 0
