"""Sessions on the command line: from a chat log, or chunk by chunk, to what is kept, archived, restored and purged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

LOG: list[dict[str, Any]] = [
    {"role": "user", "content": "Find the late orders of customer C-4711"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "call_1", "function": {"name": "sql", "arguments": '{"query": "select id from orders"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '[{"id": "ord_88123"}]'},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "call_2", "function": {"name": "get_order", "arguments": '{"order": "ord_88123"}'}}],
    },
    {"role": "tool", "tool_call_id": "call_2", "content": '{"order": "ord_88123", "late": true}'},
    {"role": "assistant", "content": "Order ord_88123 of C-4711 is late."},
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "monday.jsonl"
    file.write_text("\n".join(json.dumps(message) for message in LOG), encoding="utf-8")
    return file


def test_a_log_is_tried_in_two_commands(retinue: Any, log: Path) -> None:
    done = retinue("--json", "session", "import", str(log)).value
    assert (done["session"], done["added"], done["rejected"]) == ("monday", 6, [])
    assert done["by_grade"]["observed"] >= 3  # two results answer their calls, and an id is passed on
    ask = ("retain", "--session", "monday", "--query", "is ord_88123 late", "--budget-tokens", "14")
    answer = retinue("--json", *ask).value
    assert answer["tokens"] <= 14
    assert set(answer["kept"]) | set(answer["evicted"]) == {f"line-{n}" for n in range(1, 7)}
    said = retinue(*ask, "--explain")
    assert said.code == 0
    assert "Nothing was changed" in said.out
    again = retinue("--json", "session", "import", str(log)).value
    assert (again["added"], again["unchanged"], again["premises"]) == (0, 6, 0)
    shown = retinue("--json", "session", "show", "monday").value["page"]
    assert [(it["kind"], it["role"], it["call_id"]) for it in shown[:3]] == [
        ("message", "user", None), ("call", "assistant", "call_1"), ("result", "tool", "call_1"),
    ]  # fmt: skip
    assert re.search(r"line-3 +result +tool ", retinue("session", "show", "monday").out)


def test_a_log_is_kept_in_pairs_with_texts_and_pins(retinue: Any, log: Path) -> None:
    done = retinue("--json", "session", "import", str(log)).value
    assert done["counter"] == "bytes"
    shown = retinue("--json", "session", "show", "monday", "--premises").value
    assert [it["id"] for it in shown["page"] if it["pinned"]] == ["line-1"]
    assert {"chunk": "line-3", "premise": "line-2", "grade": "observed"}.items() <= shown["page_premises"][0].items()
    assert "line-3  line-2    observed" in retinue("session", "show", "monday", "--premises").out
    ask = ("retain", "--session", "monday", "--query", "is ord_88123 late", "--budget-tokens")
    for budget in range(10, 120, 5):
        answer = retinue("--json", *ask, str(budget)).value
        assert [it["id"] for it in answer["chunks"]] == answer["reading_order"]
        assert sum(it["tokens"] for it in answer["chunks"]) == answer["tokens"]
        assert "line-1" in answer["kept"]
        for call, result in (("line-2", "line-3"), ("line-4", "line-5")):
            assert (call in answer["kept"]) == (result in answer["kept"])
    whole = {it["id"]: it for it in answer["chunks"]}
    assert whole["line-3"] == {
        "id": "line-3", "kind": "result", "role": "tool", "call_id": "call_1", "position": 2,
        "tokens": 6, "text": '[{"id": "ord_88123"}]',
    }  # fmt: skip
    assert "chunks" not in retinue("--json", *ask, "60", "--ids-only").value
    assert "ord_88123" in retinue(*ask, "60").out
    torn = [
        retinue("--json", *ask, str(budget), "--no-pairs", "--policy", "similar").value for budget in range(10, 60, 5)
    ]
    assert any(("line-4" in it["kept"]) != ("line-5" in it["kept"]) for it in torn)
    bare = retinue(
        "--json", "session", "import", str(log), "--session", "bare", "--no-pins", "--counter", "words"
    ).value
    assert bare["counter"] == "words"
    assert not any(it["pinned"] for it in retinue("--json", "session", "show", "bare").value["page"])


def test_lines_that_cannot_be_read_are_told_and_the_others_go_in(retinue: Any, log: Path) -> None:
    log.write_text(log.read_text(encoding="utf-8") + "\nno json\n", encoding="utf-8")
    ran = retinue("--json", "session", "import", str(log), "--session", "客 1")
    assert (ran.code, ran.value["added"], [it["line"] for it in ran.value["rejected"]]) == (5, 6, [7])
    assert "Line 7" in ran.err
    assert retinue("--json", "session", "show", "客 1").value["chunks"] == 6
    assert retinue("session", "import", "-", stdin="").code == 2


def test_a_chunk_is_given_its_kind_role_and_call_id(retinue: Any) -> None:
    call = ("chunk", "add", "d", "find(P-17)", "--session", "t", "--kind", "call")
    assert retinue(*call, "--call-id", "c1").code == 0
    [made] = retinue("--json", "session", "show", "t").value["page"]
    assert (made["kind"], made["role"], made["call_id"]) == ("call", "assistant", "c1")
    assert retinue(*call[:-1], "note", "--call-id", "c1").code == 5
    assert retinue(*call[:-1], "said").code == 2


def test_chunks_are_added_kept_archived_restored_and_purged(retinue: Any) -> None:
    assert retinue("chunk", "add", "a", "-", "--session", "s", stdin="permit P-17 is Amara's").code == 0
    assert retinue("chunk", "add", "b", "soup at noon for all", "--session", "s", "--pinned").code == 0
    added = retinue("--json", "chunk", "add", "c", "who holds P-17 may publish", "--session", "s", "--premise", "a")
    assert (added.value["added"], added.value["session"]["premises"]) == (1, 1)
    assert retinue("chunk", "add", "c", "something else", "--session", "s").code == 4
    assert retinue("premise", "add", "b", "nix", "--session", "s").code == 3
    linked = retinue("--json", "premise", "add", "b", "a", "--session", "s", "--grade", "inferred", "--weight", "0.5")
    assert linked.value["added"] == 1
    ask = ("retain", "--session", "s", "--query", "may she publish", "--policy", "recent", "--budget-tokens", "10")
    dry = retinue("--json", *ask).value
    assert (dry["kept"], dry["archived"]) == (["b", "c"], None)
    warned = retinue(*ask, "--apply", "--tombstones")
    assert "Warning: c is kept, and a, which it rests on, had to go" in warned.err
    assert "Archived 1 chunk." in warned.out
    shown = retinue("session", "show", "s", "--archived")
    assert "a" in shown.out
    assert "Amara" not in shown.out
    assert "Warning: c is kept, and a, which it rests on, is archived" in retinue(*ask).err
    assert retinue("--json", "chunk", "restore", "a", "--session", "s").value == {"restored": ["a"]}
    assert retinue("chunk", "restore", "a", "--session", "s").code == 3
    assert retinue("chunk", "purge", "a", "--session", "s").code == 2  # nobody to ask
    assert retinue("--json", "chunk", "purge", "a", "--session", "s", "--yes").value == {"purged": ["a"]}
    assert retinue("session", "delete", "s", "--yes").code == 0
    assert retinue("--json", "session", "list").value == {"sessions": [], "next_cursor": None}


def test_what_is_live_is_shown_from_roots_or_a_query(retinue: Any) -> None:
    for key, premise in (("a", ()), ("b", ("--premise", "a")), ("c", ("--premise", "b"))):
        retinue("chunk", "add", key, f"step {key}", "--session", "s", *premise)
    ran = retinue("--json", "session", "live", "s", "--root", "c", "--policy", "multi_hop")
    assert [(it["chunk"], it["liveness"], it["path"]) for it in ran.value["live"]] == [
        ("b", 1.0, ["c", "b"]),
        ("c", 1.0, ["c"]),
        ("a", 0.85, ["c", "b", "a"]),
    ]
    near = retinue("session", "live", "s", "--root", "c", "--depth", "1")
    assert ("c -> b" in near.out, "c -> b -> a" in near.out) == (True, False)
    assert retinue("--json", "session", "live", "s", "--query", "step b", "--policy", "dsgc").value["session"] == "s"
    assert retinue("session", "live", "s").code == 5
    assert retinue("session", "live", "s", "--root", "nix").code == 3


@pytest.mark.parametrize("budget", ["nan", "-1"])
def test_a_budget_that_is_none_is_invalid_input(retinue: Any, budget: str) -> None:
    retinue("chunk", "add", "a", "text", "--session", "s")
    ran = retinue("retain", "--session", "s", "--query", "q", f"--budget-tokens={budget}")
    assert (ran.code, "budget" in ran.err) == (5, True)


def test_wrong_use_is_said(retinue: Any) -> None:
    ask = ("retain", "--session", "s", "--query", "q", "--budget-tokens", "5")
    assert retinue(*ask).code == 3
    retinue("chunk", "add", "a", "text", "--session", "s")
    assert retinue(*ask, "--tombstones").code == 2
    assert retinue(*ask, "--policy", "best").code == 5
    assert retinue(*ask, "--encoder", "neural").code == 6
    assert retinue("chunk", "add", "b", " ", "--session", "s").code == 5
    assert retinue("chunk", "add", "b", "t", "--session", "s", "--tokens", "0").code == 5
    assert retinue("chunk", "add", "b", "t", "--session", "s", "--counter", "guess").code == 5
    assert retinue("chunk", "add", "b", "t", "--session", "").code == 5
    counted = retinue("--json", "chunk", "add", "b", "贷款违约风险", "--session", "s", "--counter", "bytes").value
    assert counted["session"]["tokens"] == 1 + 5
