"""The published policies answer as the published artifact did: the lists in the scenario files, ties included."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kit import needs
from services.retention.relevance import index_texts
from services.retention.retaining import retain
from services.retention.sessions import SessionArrays
from services.studies.retention.diagnosis import full_chain
from services.studies.retention.scenario_files import Suite, read_scenarios

SUITES = (
    "main", "lambda_sweep", "budget_curve", "scale_50", "scale_200", "scale_1000",
    "graph_chains", "graph_dags", "graph_twins", "graph_noise",
)  # fmt: skip


@pytest.fixture
def published(shared: Path) -> Callable[[str], Suite]:
    """Reads a suite of the published artifact, with its lists."""

    def read(suite: str) -> Suite:
        path = shared / "data" / "retention" / f"{suite}.json"
        if not path.is_file():
            needs.lacking("shared", reason=f"no data/retention/{path.name}", command="RETINUE_SHARED=FOLDER make test")
        return read_scenarios(path)

    return read


def session_of(scenario, *, encoder):
    index = index_texts(scenario.chunks.texts, encoder=encoder)
    return SessionArrays(scenario.chunks, premises=scenario.premises, index=index)


@pytest.mark.parametrize("suite", SUITES)
def test_every_expected_list_comes_out(suite, published):
    file = published(suite)
    checked = 0
    for scenario in file.scenarios:
        session = session_of(scenario, encoder="hashing-ascii")
        for policy, lists in file.expected["hashing-ascii"].items():
            kept = retain(session, scenario.query, budget_tokens=scenario.budget_tokens, policy=policy).kept
            assert tuple(scenario.ids[i] for i in kept) == lists[scenario.id], (policy, scenario.id)
            checked += 1
    assert checked >= 64


@pytest.mark.parametrize(("policy", "rate"), [("dsgc", 0.90), ("similar", 0.03), ("closure", 1.0), ("default", 1.0)])
def test_the_targets_of_main_are_kept_as_often_as_published(policy, rate, published):
    targets = [s for s in published("main").scenarios if s.regime == "target"]
    kept = [
        full_chain(
            retain(session_of(s, encoder="hashing"), s.query, budget_tokens=s.budget_tokens, policy=policy).kept,
            s.chain,
        )
        for s in targets
    ]
    assert round(float(np.mean(kept)), 2) == rate


@pytest.mark.parametrize("suite", ["graph_chains", "graph_dags", "graph_twins", "graph_noise", "scale_50"])
def test_the_default_keeps_the_chain_where_edges_tell_little_or_lie(suite, published):
    kept = [
        full_chain(retain(session_of(s, encoder="hashing"), s.query, budget_tokens=s.budget_tokens).kept, s.chain)
        for s in published(suite).scenarios
    ]
    assert np.mean(kept) >= 0.97


def test_controls_lose_nothing_by_the_default(published):
    for scenario in published("main").scenarios:
        if scenario.regime == "control":
            session = session_of(scenario, encoder="hashing")
            by = {
                policy: full_chain(
                    retain(session, scenario.query, budget_tokens=scenario.budget_tokens, policy=policy).kept,
                    scenario.chain,
                )
                for policy in ("similar", "default")
            }
            assert by["default"] >= by["similar"]


def test_ids_and_the_truth_change_nothing(tmp_path, shared, published):
    """Every id renamed at random, the truth and the labels of a scenario replaced by nonsense: the same answers."""
    file = published("graph_noise")
    data = json.loads((shared / "data" / "retention" / "graph_noise.json").read_text(encoding="utf-8"))
    random = np.random.default_rng(11)
    for item in data["scenarios"]:
        fresh = [f"{number:x}" for number in random.permutation(10 * len(item["chunks"]))]
        name = {chunk["id"]: fresh[place] for place, chunk in enumerate(item["chunks"])}
        item["chunks"] = [{**chunk, "id": name[chunk["id"]]} for chunk in item["chunks"]]
        item["premises"] = [[name[i], name[j]] for i, j in item["premises"]]
        item |= {"chain": [], "true_premises": [["?", "?"]], "variant": "?", "regime": "control", "template": "?"}
        random.shuffle(item["chunks"])
        random.shuffle(item["premises"])
    (tmp_path / "renamed.json").write_text(json.dumps({"scenarios": data["scenarios"]}), encoding="utf-8")
    renamed = read_scenarios(tmp_path / "renamed.json")
    for before, after in zip(file.scenarios[::4], renamed.scenarios[::4], strict=True):
        assert before.ids != after.ids
        for policy in ("dsgc", "closure", "credible", "default"):
            answers = [
                retain(session_of(s, encoder="hashing"), s.query, budget_tokens=s.budget_tokens, policy=policy)
                for s in (before, after)
            ]
            assert answers[0] == answers[1]
