"""The retention study and the doors say the same: rows replayed through REST, and a study over a store's sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from services.studies.retention.scenarios import make_scenario
from services.studies.retention.suites import SUITES

BASE = "/v1/workspaces/default/sessions"
ASKED = ("--suite", "noise", "--suite", "rivals", "--suite", "controls", "--suite", "fans", "--repeat", "3")
POLICIES = ("--policy", "dsgc", "--policy", "closure@beta=0.5", "--policy", "default")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]


def test_fifty_scenarios_through_rest_give_the_rows_of_the_study(
    client: TestClient, retinue: Any, tmp_path: Path
) -> None:
    ran = retinue("study", "retention", "--out", str(tmp_path / "out"), *ASKED, *POLICIES)
    assert ran.code == 0, ran.err
    rows = rows_of(tmp_path / "out")
    assert len({(row["suite"], row["scenario"]) for row in rows}) >= 50
    for number, variant in enumerate(v for name in ("noise", "rivals", "controls", "fans") for v in SUITES[name]):
        for seed in range(3):
            scenario = make_scenario(variant, seed=seed)
            session = f"{BASE}/{number}-{seed}"
            assert client.put(session).status_code == 201
            chunks = [
                {"id": str(place), "text": text, "tokens": cost}
                for place, (text, cost) in enumerate(zip(scenario.texts, scenario.tokens, strict=True))
            ]
            assert client.post(f"{session}/chunks", json={"chunks": chunks}).status_code == 200
            premises = [{"chunk": str(i), "premise": str(j)} for i, j in scenario.edges]
            assert client.post(f"{session}/premises", json={"premises": premises}).status_code == 200
            name = f"{variant.name}/seed{seed}/x{variant.multiplier:g}"
            own = [row for row in rows if row["scenario"] == name and row["budget"] == scenario.budget_tokens]
            assert len(own) >= 3
            for row in own:
                asked = {
                    "query": scenario.query, "budget_tokens": row["budget"], "policy": row["policy"],
                    "encoder": "hashing",
                }  # fmt: skip
                reply = client.post(f"{session}/retain", json=asked).json()
                assert (reply["kept"], reply["tokens"]) == (row["retained"], row["tokens"])


def test_a_study_over_a_store_gives_the_rows_of_the_core_and_leaves_nothing(retinue: Any, tmp_path: Path) -> None:
    asked = ("study", "retention", "--suite", "rivals", "--suite", "noise", "--repeat", "1", "--out")
    assert retinue(*asked, str(tmp_path / "core")).code == 0
    over = f"sqlite:///{tmp_path / 'other.db'}"
    ran = retinue(*asked, str(tmp_path / "store"), "--store", over)
    assert ran.code == 0, ran.err
    for name in ("rows.jsonl", "summary.json"):
        assert (tmp_path / "core" / name).read_bytes() == (tmp_path / "store" / name).read_bytes()
    assert json.loads((tmp_path / "store" / "manifest.json").read_text(encoding="utf-8"))["store"] == "sqlite"
    left = retinue("--store", over, "--json", "workspace", "list").value["workspaces"]
    assert [it["name"] for it in left] == ["default"]


def test_what_a_study_cannot_do_is_an_exit_code(retinue: Any, tmp_path: Path) -> None:
    assert retinue("study", "retention").code == 5
    assert retinue("study", "retention", "--check-expected").code == 5
    assert retinue("study", "retention", "--out", str(tmp_path), "--policy", "nothing").code == 5
    assert retinue("study", "retention", "--out", str(tmp_path), "--data", str(tmp_path / "none.json")).code == 3
    assert retinue("study", "retention", "--out", str(tmp_path), "--encoder", "neural").code == 6


def test_lists_that_are_not_as_expected_are_named_and_fail(retinue: Any, tmp_path: Path) -> None:
    scenario = make_scenario(SUITES["rivals"][0], seed=0)
    from services.studies.retention.scenarios import as_item

    item = as_item(scenario, multiplier=1.5)
    expected = {"frozen": {"retrieval_only": {"scenarios": {item["id"]: {"retained": ["0"]}}}}}
    (tmp_path / "made.json").write_text(json.dumps({"scenarios": [item], "expected": expected}), encoding="utf-8")
    ran = retinue("--json", "study", "retention", "--check-expected", "--data", str(tmp_path / "made.json"))
    assert ran.code == 1
    [told] = ran.value["expected"]
    assert (told["policy"], told["equal"], told["differing"]) == ("similar", 0, [item["id"]])
    [row] = [row for row in ran.value["rows"] if row["regime"] == "all"]
    assert row["scenarios"] == 1
