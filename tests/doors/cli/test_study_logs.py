"""`study logs`: points in real logs, what the next calls need of what only earlier chunks showed, and what is held."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from services.retention.session_arrays import count_tokens
from services.studies.logs.points import points_of


def call(key: str, name: str, **arguments: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": f"step {key}",
        "tool_calls": [{"id": key, "function": {"name": name, "arguments": json.dumps(arguments)}}],
    }


def result(key: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "content": text}


LOG = [
    {"role": "user", "content": "Why is the parcel late?"},
    call("c1", "list_orders"), result("c1", "ord_88123 ord_99001 ord_77777"),
    call("c2", "weather"), result("c2", "rain in hall_7 and hall_8, " + "wind " * 30),
    call("c3", "weather"), result("c3", "sun " * 40),
    call("c4", "get_order", order="ord_88123", hall="hall_7"), result("c4", "packed"),
]  # fmt: skip


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    lines = "".join(json.dumps({"id": f"s{number}", "messages": LOG}) + "\n" for number in range(3))
    (folder / "shop.jsonl").write_text(lines, encoding="utf-8")
    with gzip.open(folder / "farm.jsonl.gz", "wt", encoding="utf-8") as packed:
        packed.write(lines)
    (folder / "events.jsonl").write_text("no log\n", encoding="utf-8")
    return folder


def test_a_point_needs_what_only_earlier_chunks_show() -> None:
    [point] = points_of("s", LOG, counter=count_tokens, most=5, seed=1)
    assert (point.line, point.needed) == (8, {"ord_88123"})  # hall_7 stands in the last four messages
    assert len(point.chunks) == 4
    assert point.chunks.calls.tolist() == [-1, -1, -1, 2]
    assert "hall_7" in point.query
    assert list(points_of("s", LOG[:7], counter=count_tokens, most=5, seed=1)) == []


def test_the_study_says_what_is_held_and_what_was_torn(retinue: Any, logs: Path, tmp_path: Path) -> None:
    asked = ("study", "logs", "--data", str(logs), "--policy", "coverage", "--policy", "default", "--policy", "recent")
    ran = retinue("--json", *asked, "--share", "0.05", "--share", "0.5", "--out", str(tmp_path / "out"))
    assert ran.code == 0, ran.err
    by_place = {(it["domain"], it["policy"], it["share"]): it for it in ran.value["rows"]}
    assert len(by_place) == 3 * 3 * 2
    for domain, sessions in (("shop", 3), ("farm", 3), ("macro", 6)):
        row = by_place[domain, "coverage", 0.05]
        assert (row["data"], row["held"], row["low"], row["high"], row["n"]) == ("logs", 1.0, 1.0, 1.0, sessions)
    assert {(it["a"], it["b"]) for it in ran.value["comparisons"]} == {
        ("default", "coverage"), ("default", "recent"), ("coverage", "recent"),
    }  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "out" / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 36
    assert all(row["tokens"] <= row["budget"] and row["torn"] == 0 for row in rows)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"manifest.json", "summary.json", "report.md"} <= names
    again = retinue("--json", *asked, "--share", "0.05", "--share", "0.5", "--out", str(tmp_path / "again"))
    assert again.value == ran.value


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "no data"),
        (("--data", "{nowhere}"), "no such folder"),
        (("--data", "{empty}"), "no DOMAIN.jsonl"),
        (("--data", "{logs}", "--share", "0"), "no share of a log"),
        (("--data", "{logs}", "--share", "nan"), "no share of a log"),
        (("--data", "{logs}", "--points", "0"), "none to ask at"),
        (("--data", "{logs}", "--policy", "mine"), "no such policy"),
        (("--data", "{logs}", "--encoder", "mine"), "no such encoder"),
        (("--data", "{logs}", "--counter", "mine"), "mine"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    retinue: Any, logs: Path, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    (tmp_path / "empty").mkdir()
    places = {"logs": logs, "nowhere": tmp_path / "nowhere", "empty": tmp_path / "empty"}
    ran = retinue("study", "logs", "--out", str(tmp_path / "out"), *(it.format(**places) for it in options))
    assert ran.code in (3, 5), ran.err
    assert says in ran.err


@pytest.mark.parametrize("line", ['{"id": "t"}', '{"id": "t", "messages": "hello"}', "[]", "{"])
def test_a_line_that_is_no_session_is_named(retinue: Any, logs: Path, tmp_path: Path, line: str) -> None:
    (logs / "shop.jsonl").write_text(f'{{"id": "s", "messages": []}}\n{line}\n', encoding="utf-8")
    ran = retinue("study", "logs", "--data", str(logs), "--out", str(tmp_path / "out"))
    assert ran.code == 5
    assert "line 2 of shop.jsonl" in ran.err
