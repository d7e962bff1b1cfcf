"""The retention study: its files, equal bytes, what each row says, and the pure readers of rows."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from graph.errors import EncoderUnavailable, InvalidInput, NotFound
from services.retention.arms import parse_arm
from services.studies import running
from services.studies.retention.expected import compare_lists, falls_short
from services.studies.retention.protocol import RetentionProtocol, make_retention_protocol
from services.studies.retention.rows import budgets_of, scenario_rows, with_stream
from services.studies.retention.scenario_files import read_item
from services.studies.retention.scenarios import Variant, as_item, make_scenario
from services.studies.retention.study import RetentionStudy, gather_suites
from services.studies.retention.suites import SUITES
from services.studies.retention.summary import summarise_retention, transitions

SMALL = RetentionProtocol(suite=("controls", "rivals"), policy=("random", "similar", "closure", "default"), repeat=2)


def run(protocol, out, **more):
    study = RetentionStudy(protocol, encoder=None)
    return running.run(study, out, clock=lambda: datetime(2026, 11, 30, tzinfo=UTC), **more)


def scenario_of(variant, *, seed=0, multiplier=1.5):
    return read_item("made", as_item(make_scenario(variant, seed=seed), multiplier=multiplier))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("study")
    run(SMALL, out)
    return out


def read(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def rows_of(folder):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_same_study_twice_gives_the_same_bytes(folder, tmp_path):
    run(SMALL, tmp_path, jobs=2)
    names = sorted(path.name for path in folder.iterdir())
    assert {"manifest.json", "rows.jsonl", "summary.json", "report.md", "drawing.json"} <= set(names)
    assert names == sorted(path.name for path in tmp_path.iterdir())
    for name in names:
        if name != "manifest.json":
            assert (folder / name).read_bytes() == (tmp_path / name).read_bytes(), name
    assert read(folder, "manifest.json")["digests"] == read(tmp_path, "manifest.json")["digests"]
    assert all(f"{name}.png" in names for name in ("scenario", "depths_rivals_hashing"))


def test_a_row_says_what_was_kept_and_why_a_chain_was_cut(folder):
    rows = rows_of(folder)
    assert len(rows) == (2 + 3) * 2 * 4
    for row in rows:
        assert row["full_chain"] == (row["coverage"] == 1.0) == (row["failure"] == "none") == (not row["trace"])
        assert row["tokens"] <= row["budget"]
    cut = next(row for row in rows if row["policy"] == "similar" and row["suite"] == "rivals")
    for lost in cut["trace"]:
        assert lost["chunk"] not in cut["retained"]
        assert lost["competitor"] in cut["retained"]
        assert lost["gap"] >= 0
        assert lost["path"][-1] == lost["competitor"]


def test_the_summary_is_that_of_the_rows(folder):
    summary = read(folder, "summary.json")
    assert summarise_retention(rows_of(folder), seed=0) == summary
    for row in summary["rows"]:
        assert row["low"] <= row["full_chain"] <= row["high"]
        assert row["scenarios"] == {"controls": 4, "rivals": 6}[row["suite"]]
    by = {(row["suite"], row["policy"]): row["full_chain"] for row in summary["rows"] if row["regime"] == "all"}
    assert by["rivals", "default"] >= 0.8 > by["rivals", "similar"]
    assert by["controls", "default"] >= by["controls", "similar"] - 0.02
    told = {(it["a"], it["b"]) for it in summary["comparisons"]}
    assert told == {(p, "similar") for p in ("random", "closure", "default")} | {
        ("default", p) for p in ("random", "similar", "closure")
    }


def test_the_drawing_tells_what_lives_by_what_rests_on_it(folder):
    drawing = read(folder, "drawing.json")
    plain, chosen = drawing["arms"]
    assert (plain["full_chain"], chosen["full_chain"]) == (False, True)
    states = {chunk["chunk"]: chunk["state"] for chunk in chosen["chunks"]}
    assert {states[chunk] for chunk in drawing["chain"]} == {"kept", "premise"}
    assert "premise" not in {chunk["state"] for chunk in plain["chunks"]}


def test_budgets_are_multiples_of_the_chain_and_both_turning_points_are_told(tmp_path):
    protocol = RetentionProtocol(
        suite=("chains",), sweep="budget", policy=("similar", "multi_hop", "default"), repeat=1
    )
    summary = run(protocol, tmp_path)
    assert {row["multiplier"] for row in summary["budgets"]} == {1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0}
    found = {it["policy"]: it for it in summary["transitions"] if it["regime"] == "target"}
    assert found["default"]["transition"] == 1.0
    assert found["multi_hop"]["transition"] > 1.5
    assert found["similar"]["transition"] is None
    scenario = scenario_of(Variant())
    chain = sum(int(scenario.chunks.tokens[i]) for i in scenario.chain)
    assert budgets_of(scenario, (1.0, 1.3)) == [(1.0, chain), (1.3, -(-13 * chain // 10))]
    assert budgets_of(scenario, ()) == [(1.5, scenario.budget_tokens)]


def test_transition_and_crossover_by_hand():
    rates = {"similar": (0.0, 0.4, 0.9, 1.0), "default": (0.2, 0.7, 0.91, 1.0), "dsgc": (0.6, 0.4, 0.8, 0.8)}
    budgets = [
        {"suite": "s", "encoder": "e", "regime": "all", "policy": policy, "multiplier": m, "full_chain": rate}
        for policy, curve in rates.items()
        for m, rate in zip((1.0, 2.0, 3.0, 4.0), curve, strict=True)
    ]
    found = {it["policy"]: (it["transition"], it["crossover"]) for it in transitions(budgets)}
    assert found["similar"] == (pytest.approx(2.2), None)
    assert found["default"] == (pytest.approx(1.6), 3.0)
    assert found["dsgc"] == (pytest.approx(2.25), 2.0)  # what it reached at 1 and lost at 2 does not count


@pytest.mark.parametrize("sweep", ["density", "lambda"])
def test_a_sweep_walks_over_one_thing(tmp_path, sweep):
    summary = run(RetentionProtocol(sweep=sweep, repeat=1), tmp_path)
    values = sorted({row["at"] for row in summary["sweep"]})
    assert values == ([0.05, 0.2, 0.4, 0.6, 0.8, 0.95] if sweep == "density" else [0, 0.25, 0.5, 1, 2, 4, 8])
    series = {row["policy"] for row in summary["sweep"]}
    assert series == ({"dsgc"} if sweep == "lambda" else {row["policy"] for row in summary["rows"]})


def test_an_edge_tells_something_only_where_distractors_have_none():
    """Decoys: chains among the distractors. What has an edge is the answer at .05; the default holds at .95 too."""
    arms = [(parse_arm(name), None) for name in ("everything-with-an-edge", "dsgc", "default")]
    rates = {}
    for density in (0.05, 0.95):
        rows = [
            row
            for seed in range(6)
            for row in scenario_rows(
                scenario_of(Variant(density=density), seed=seed), arms, encoder="hashing", neural=None
            )
        ]
        rates[density] = {
            arm.name: np.mean([r["full_chain"] for r in rows if r["policy"] == arm.name]) for arm, _ in arms
        }
    assert rates[0.05]["everything-with-an-edge"] >= 0.8
    assert rates[0.95]["everything-with-an-edge"] <= 0.2
    assert rates[0.95]["dsgc"] <= 0.3
    assert rates[0.95]["default"] >= 0.8


def test_random_draws_anew_in_each_scenario_by_the_seed_of_the_study():
    one, two = scenario_of(Variant(), seed=1), scenario_of(Variant(), seed=2)
    arm = parse_arm("random")
    seeds = [with_stream(arm, seed=s, scenario=it)["seed"] for s, it in ((0, one), (0, one), (0, two), (1, one))]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3
    assert with_stream(parse_arm("random@seed=4"), seed=0, scenario=one)["seed"] == 4


def test_expected_lists_are_compared_in_order():
    (suite,) = gather_suites(RetentionProtocol(suite=("rivals",), repeat=1))
    name = suite.scenarios[0].id
    expected = {"hashing": {"similar": {name: ("1", "2")}}}
    suite = replace(suite, expected=expected)
    row = {"suite": "rivals", "scenario": name, "encoder": "hashing", "policy": "similar", "retained": ["1", "2"]}
    assert compare_lists([suite], [row])[0]["equal"] == 1
    (turned,) = compare_lists([suite], [{**row, "retained": ["2", "1"]}])
    assert (turned["equal"], turned["differing"]) == (0, [name])
    assert falls_short([turned]) == ["hashing"]


def test_a_protocol_file_gives_options_and_a_changed_one_is_noticed(tmp_path):
    file = tmp_path / "protocol.toml"
    file.write_text('suite = ["controls"]\npolicy = ["similar"]\nrepeat = 1\n', encoding="utf-8")
    made, digest = make_retention_protocol({"seed": 3}, file=file)
    assert made == RetentionProtocol(suite=("controls",), policy=("similar",), repeat=1, seed=3)
    run(made, tmp_path / "out", protocol_file=digest)
    with pytest.raises(InvalidInput, match="changed"):
        run(made, tmp_path / "out", protocol_file="another")
    run(made, tmp_path / "out", protocol_file="another", exploratory=True)
    assert "Exploratory" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options",
    [
        {"encoder": ["word2vec"]},
        {"policy": ["dsgc@lambda"]},
        {"policy": ["dsgc", "dsgc"]},
        {"budget_multiplier": [0.0]},
        {"budget_multiplier": [float("nan")]},
        {"budget_multiplier": [1.0], "sweep": "budget"},
        {"sweep": "colour"},
        {"sweep": "scale", "suite": ["chains"]},
        {"repeat": 0},
    ],
    ids=str,
)
def test_what_cannot_be_studied_is_refused_before_anything_runs(options):
    with pytest.raises(InvalidInput):
        make_retention_protocol(options)


def test_data_that_is_not_there_is_said(tmp_path):
    with pytest.raises(NotFound):
        run(RetentionProtocol(data=(str(tmp_path / "nowhere"),)), None)
    with pytest.raises(InvalidInput):
        run(RetentionProtocol(data=(str(tmp_path),)), None)
    with pytest.raises(InvalidInput, match="bundled"):
        run(RetentionProtocol(suite=("nothing",)), None)
    with pytest.raises(EncoderUnavailable):
        run(RetentionProtocol(encoder=("neural",), repeat=1), None)
    (tmp_path / "broken.json").write_text('{"scenarios": [{"id": 1}]}', encoding="utf-8")
    with pytest.raises(InvalidInput, match="broken"):
        run(RetentionProtocol(data=(str(tmp_path),)), None)


def test_made_up_suites_are_told_apart_by_names_and_no_scenario_comes_twice():
    for suite in gather_suites(RetentionProtocol(suite=tuple(SUITES), repeat=1)):
        ids = [scenario.id for scenario in suite.scenarios]
        assert len(ids) == len(set(ids)), suite.name
        for scenario in suite.scenarios:
            assert len(scenario.chunks) == 80
            assert scenario.depth is not None
            assert scenario.depth <= len(scenario.chain) < 40
            assert sum(int(scenario.chunks.tokens[i]) for i in scenario.chain) <= scenario.budget_tokens
