"""The study of discovery as an instrument: its scorer, its bytes, what its rules may see, and what each option does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from fastapi.testclient import TestClient
from ir_measures import RR, R

from api.rest.app import create_app
from api.wiring import Services, open_memory_store
from graph.embedded import open_store
from graph.errors import InvalidInput
from services.measures import MEASURES, measured
from services.studies.discovery.catalogues import hidden, merged
from services.studies.discovery.circumstances import Attributes, remembered
from services.studies.discovery.protocol import DiscoveryProtocol, StudyArm, make_discovery_protocol
from services.studies.discovery.replaying import families_of, replay_tasks
from services.studies.discovery.study import DiscoveryStudy
from services.studies.discovery.tasks import StudyDomain, read_domains
from services.studies.intervals import holm
from services.studies.running import run

ALL = DiscoveryProtocol()


def study(out: Path, *, jobs: int = 1, **options: Any) -> dict[str, Any]:
    protocol, _ = make_discovery_protocol({"domain": ["czech_bank"], "retriever": ["tfidf"], **options}, file=None)
    return run(
        DiscoveryStudy(protocol, open_store=open_memory_store, encoder=None),
        out,
        clock=lambda: datetime.now(UTC),
        jobs=jobs,
    )


def read_rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def replayed(
    domain: StudyDomain, retriever: str, rule: str, *, protocol: DiscoveryProtocol = ALL
) -> list[dict[str, Any]]:
    arm = StudyArm(retriever=retriever, rule=rule)
    return list(replay_tasks(domain, arm, None, protocol=protocol, open_store=open_memory_store))


@pytest.fixture(scope="module")
def domains() -> Mapping[str, StudyDomain]:
    names = ("czech_bank", "northwind", "nyc_collisions", "northwind_opaque")
    return {domain.name: domain for domain in read_domains([], names=names)}


def test_the_scorer_agrees_with_an_independent_one() -> None:
    draw = np.random.default_rng(3)
    for trial in range(200):
        ids = [f"o{number}" for number in draw.permutation(30).tolist()]
        found, needed = ids[: draw.integers(0, 11)], set(draw.choice(ids, draw.integers(1, 8), replace=False).tolist())
        qrels = [ir_measures.Qrel(str(trial), item, 1) for item in needed]
        run = [ir_measures.ScoredDoc(str(trial), item, -float(place)) for place, item in enumerate(found)]
        theirs = ir_measures.calc_aggregate([R @ 5, R @ 10, RR, ir_measures.P @ 5], qrels, run)
        ours = measured(found, needed)
        assert ours["recall_at_5"] == pytest.approx(theirs[R @ 5])
        assert ours["recall_at_10"] == pytest.approx(theirs[R @ 10])
        assert ours["mrr"] == pytest.approx(theirs[RR])
        precision, recall = theirs[ir_measures.P @ 5], theirs[R @ 5]
        harmonic = 2 * precision * recall / (precision + recall) if precision else 0.0
        assert ours["f1_at_5"] == pytest.approx(harmonic)
        assert ours["strict_recall_at_5"] == float(recall == 1)


def test_the_same_study_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, jobs in (("one", 1), ("two", 1), ("three", 2)):
        study(tmp_path / name, jobs=jobs, rule=["none", "eq1"], protocol="rotation", corrupt=0.2)
    one, *others = (tmp_path / name for name in ("one", "two", "three"))
    files = sorted(file.name for file in one.iterdir())
    assert {"rows.jsonl", "summary.json", "report.md", "manifest.json", "arms_bundled.png", "arms_bundled.svg"} <= {
        *files
    }
    for other in others:
        assert sorted(file.name for file in other.iterdir()) == files
        for name in files:
            if name != "manifest.json":
                assert (other / name).read_bytes() == (one / name).read_bytes(), name
        timeless = [
            {
                key: value
                for key, value in json.loads((it / "manifest.json").read_text()).items()
                if key[:2] not in ("be", "en")
            }
            for it in (one, other)
        ]
        assert timeless[0] == timeless[1]


@pytest.mark.parametrize("rule", ["default", "eq1"])
def test_renaming_every_id_changes_no_answer(domains: Mapping[str, StudyDomain], rule: str) -> None:
    """The new names are drawn at random; their order is that of the old ones, as ties go by id."""
    plain = replace(domains["northwind"], tasks=domains["northwind"].tasks[:24])
    ids = sorted(item.id for item in plain.catalogue.objects)
    drawn = sorted(
        f"{number:012x}" for number in np.random.default_rng(5).choice(2**40, len(ids), replace=False).tolist()
    )
    new = dict(zip(ids, drawn, strict=True))
    renamed = replace(
        plain,
        catalogue=replace(
            plain.catalogue,
            objects=tuple(
                replace(it, id=new[it.id], table=None if it.table is None else new[it.table])
                for it in plain.catalogue.objects
            ),
            references=tuple((new[start], new[end]) for start, end in plain.catalogue.references),
        ),
        tasks=tuple(replace(it, needed=tuple(sorted(new[key] for key in it.needed))) for it in plain.tasks),
    )
    before, after = (replayed(it, "blend", rule) for it in (plain, renamed))
    assert [[new[item] for item in row["found"]] for row in before] == [row["found"] for row in after]


def test_over_rest_the_same_tasks_give_the_rows_of_the_study(domains: Mapping[str, StudyDomain]) -> None:
    tried = 0
    for name in ("czech_bank", "northwind", "nyc_collisions"):
        domain = domains[name]
        domain = replace(domain, tasks=domain.tasks[: 100 - tried])
        tried += len(domain.tasks)
        rows = replayed(domain, "blend", "default")
        assert replayed_over_rest(domain) == [row["found"] for row in rows]
    assert tried == 100


def replayed_over_rest(domain: StudyDomain) -> list[list[str]]:
    objects = [
        {"id": it.id, "kind": it.kind, "name": it.name, "description": it.description}
        | ({} if it.table is None else {"table": it.table})
        for it in domain.catalogue.objects
    ]
    found = []
    with (
        Services(open_store("memory://"), encoder="none") as services,
        TestClient(create_app(services, refresh=False), base_url="http://127.0.0.1") as client,
    ):
        base = "/v1/workspaces/w"
        client.put(base)
        references = [list(pair) for pair in domain.catalogue.references]
        assert client.post(f"{base}/objects", json={"objects": objects, "references": references}).is_success
        for task in domain.tasks:
            answer = client.post(f"{base}/discover", json={"intent": task.intent, "limit": 10}).json()
            found.append([hit["id"] for hit in answer["results"]])
            told = {"kind": "annotated", "discovery": answer["discovery"]}
            body = {"intent": task.intent, "objects": list(task.needed), "evidence": told}
            assert client.post(f"{base}/memories", json=body).is_success
    return found


def test_each_arm_asks_the_same_tasks_of_the_same_catalogue(tmp_path: Path) -> None:
    summary = study(tmp_path, rule=["names", "none", "memory", "eq1", "naive", "rocchio", "default"])
    assert [row["rule"] for row in summary["rows"] if row["domain"] == "macro"] == [
        "names", "none", "memory", "eq1", "naive", "rocchio"
    ]  # fmt: skip
    assert any("'default'" in reason for reason in summary["left_out"])
    rows = read_rows(tmp_path / "rows.jsonl")
    asked = {rule: [(row["task"], row["needed"]) for row in rows if row["rule"] == rule] for rule in ("names", "eq1")}
    assert asked["names"] == asked["eq1"]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert set(manifest["domains"]) == {"bundled/czech_bank"}
    assert len(manifest["domains"]["bundled/czech_bank"]["catalogue"]) == 64
    for row in summary["rows"]:
        assert row["low"] <= row["f1_at_5"] <= row["high"]
        assert (row["harm"], row["help"]) == (0, 0) if row["rule"] == "none" else row["help"] is not None
    means = {name: np.mean([row[name] for row in rows if row["rule"] == "eq1"]) for name in MEASURES}
    (told,) = (row for row in summary["rows"] if (row["rule"], row["domain"]) == ("eq1", "czech_bank"))
    assert {name: told[name] for name in MEASURES} == pytest.approx(means)


def test_a_rotation_scores_each_task_with_every_choice_of_one_memory_a_family(
    domains: Mapping[str, StudyDomain],
) -> None:
    domain = domains["czech_bank"]
    families = families_of(domain)
    turns = max(map(len, families.values()))
    rows = replayed(domain, "tfidf", "memory", protocol=DiscoveryProtocol(protocol="rotation"))
    assert len(rows) == turns * (len(domain.tasks) - len(families))
    for turn in range(turns):
        seeds = {tasks[turn % len(tasks)].id for tasks in families.values()}
        assert {row["task"] for row in rows if row["turn"] == turn} == {task.id for task in domain.tasks} - seeds
        named = {item for task in domain.tasks if task.id in seeds for item in task.needed}
        assert {item for row in rows if row["turn"] == turn for item in row["found"]} <= named


def test_wrong_memories_share_no_attribute_with_the_task(domains: Mapping[str, StudyDomain]) -> None:
    """Memory alone can then find nothing but tables that are needed."""
    domain = domains["northwind"]
    tables = {item.id for item in domain.catalogue.objects if item.kind == "table"}
    rows = replayed(domain, "tfidf", "memory", protocol=DiscoveryProtocol(memories="wrong"))
    assert sum(len(row["found"]) for row in rows) > 100
    assert all(set(row["found"]) & set(row["needed"]) <= tables for row in rows)
    attributes = Attributes(domain)
    assert all(task in attributes.shared(task, domain.tasks) for task in domain.tasks)


def test_corrupt_memories_name_other_objects_of_the_same_catalogue(domains: Mapping[str, StudyDomain]) -> None:
    domain = domains["nyc_collisions"]
    given = DiscoveryProtocol(corrupt=0.27, seed=4)
    kept = remembered(domain, protocol=given)
    changed = [task for task in domain.tasks if kept[task.id] != task.needed]
    assert len(changed) == round(0.27 * len(domain.tasks))
    assert all(not set(kept[task.id]) & set(task.needed) for task in changed)
    assert all(len(kept[task.id]) == len(task.needed) for task in changed)
    assert kept == remembered(domain, protocol=given)
    assert kept != remembered(domain, protocol=replace(given, seed=5))


def test_a_likeness_of_another_retriever_needs_its_flag(tmp_path: Path) -> None:
    own = study(tmp_path / "own", rule=["memory"])
    mixed = study(tmp_path / "mixed", rule=["memory"], memory_retriever="blend")
    study(tmp_path / "switched", rule=["memory"], retriever=["blend"])
    assert own["rows"][0]["f1_at_5"] != mixed["rows"][0]["f1_at_5"]
    rows = [read_rows(tmp_path / name / "rows.jsonl") for name in ("mixed", "switched")]
    assert [row["found"][:1] for row in rows[0]] == [row["found"][:1] for row in rows[1]]


@pytest.mark.parametrize("retriever", ["tfidf", "bm25", "blend"])
def test_without_its_weight_equation_one_is_the_registry_and_without_that_memory_alone(
    domains: Mapping[str, StudyDomain], retriever: str
) -> None:
    domain = replace(domains["northwind"], tasks=domains["northwind"].tasks[:20])

    def found(rule: str) -> list[list[str]]:
        return [row["found"] for row in replayed(domain, retriever, rule)]

    assert found("eq1@alpha=0") == found("none")
    assert found("eq1@alpha=0") != found("eq1")
    alone = found("memory")
    heavy = found("eq1@alpha=1000000")
    assert [row[:3] for row in heavy if row] != [row[:3] for row in found("none") if row]
    assert all(set(few) <= set(many) for few, many in zip(alone, heavy, strict=True) if len(few) <= 5)


def test_gains_are_told_by_family_and_along_the_stream(tmp_path: Path) -> None:
    summary = study(tmp_path, rule=["none", "eq1"])
    told = summary["families"]
    assert len({row["family"] for row in told}) == 5
    rows = read_rows(tmp_path / "rows.jsonl")
    f1 = {(row["rule"], row["task"]): row["f1_at_5"] for row in rows}
    gains = [f1["eq1", task] - f1["none", task] for rule, task in f1 if rule == "eq1"]
    assert sum(row["wins"] for row in told) == sum(gain > 1e-12 for gain in gains)
    assert sum(row["losses"] for row in told) == sum(gain < -1e-12 for gain in gains)
    assert sum(row["wins"] + row["ties"] + row["losses"] for row in told) == len(gains)
    curve = summary["learning"]
    assert [row["part"] for row in curve] == sorted(row["part"] for row in curve)
    assert sum(row["gain"] * row["tasks"] for row in curve) == pytest.approx(sum(gains))
    assert all(row["low"] <= row["gain"] <= row["high"] for row in curve)


def test_a_protocol_file_that_changed_runs_as_exploratory_alone(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('domain = ["northwind"]\nretriever = ["bm25"]\nrule = ["none"]\n', encoding="utf-8")

    def ask(*, exploratory: bool = False) -> dict[str, Any]:
        protocol, digest = make_discovery_protocol({}, file=file)
        return run(
            DiscoveryStudy(protocol, open_store=open_memory_store, encoder=None),
            tmp_path / "out",
            clock=lambda: datetime.now(UTC),
            protocol_file=digest,
            exploratory=exploratory,
        )

    ask()
    ask()
    assert "Exploratory" not in (tmp_path / "out" / "report.md").read_text()
    file.write_text(file.read_text() + "seed = 1\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="changed since its first run"):
        ask()
    ask(exploratory=True)
    assert "Exploratory" in (tmp_path / "out" / "report.md").read_text()
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["exploratory"] is True


def test_the_agreement_of_memories_with_what_was_needed_is_told(tmp_path: Path) -> None:
    study(tmp_path, rule=["none"], protocol="rotation", corrupt=0.27, domain=["czech_bank", "northwind"])
    told = json.loads((tmp_path / "manifest.json").read_text())["agreement"]
    assert set(told) == {"bundled/czech_bank", "bundled/northwind"}
    assert all(0.70 <= value <= 0.76 for value in told.values())
    assert f"{told['bundled/czech_bank']:.3f}" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rules = ['none']", "no option 'rules'"),
        ("memories = 'some'", "memories 'some'"),
        ("corrupt = 1.5", "corrupt 1.5"),
        ("opaque = -0.1", "opaque -0.1"),
        ("not toml", "the protocol file"),
        ("rule = ['nix']", "a study of no arm"),
    ],
)
def test_a_protocol_that_cannot_be_run_says_why(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=says):
        make_discovery_protocol({}, file=file)[0].arms()


def test_a_rotation_needs_families(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    item = {"id": "t", "kind": "table", "name": "t"}
    task = {"id": "1", "intent": "what is t", "objects": ["t"]}
    (data / "d.json").write_text(json.dumps({"objects": [item], "references": [], "tasks": [task]}), encoding="utf-8")
    protocol = DiscoveryProtocol(data=(str(data),), rule=("none",), protocol="rotation")
    with pytest.raises(InvalidInput, match="no `family`"):
        DiscoveryStudy(protocol, open_store=open_memory_store, encoder=None)


def test_variants_with_opaque_names_are_asked_for_by_name(domains: Mapping[str, StudyDomain]) -> None:
    assert domains["northwind_opaque"].tasks
    assert not any("opaque" in domain.name for domain in read_domains([]))
    assert all(not item.description for item in domains["northwind_opaque"].catalogue.objects)


def test_comparisons_are_corrected_for_their_number() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})


def test_merged_domains_are_one_catalogue_with_their_tasks_shuffled(
    tmp_path: Path, domains: Mapping[str, StudyDomain]
) -> None:
    names = ("czech_bank", "northwind")
    parts = [domains[name] for name in names]
    one = merged(parts, seed=3)
    within = {f"bundled.{part.name}.{item.id}": item for part in parts for item in part.catalogue.objects}
    assert {item.id for item in one.catalogue.objects} == within.keys()
    for item in one.catalogue.objects:
        own = within[item.id]
        assert (item.name, item.description) == (own.name, own.description)
        assert item.table is None or item.table.endswith(f".{own.table}")
        assert item.table is None or within[item.table].kind == "table"
    assert set(one.catalogue.references) == {
        (f"bundled.{part.name}.{a}", f"bundled.{part.name}.{b}") for part in parts for a, b in part.catalogue.references
    }
    known = {f"bundled.{part.name}.{task.id}": task for part in parts for task in part.tasks}
    assert {task.id for task in one.tasks} == known.keys()
    assert all(set(task.needed) <= within.keys() and task.intent == known[task.id].intent for task in one.tasks)
    order = [task.id for task in one.tasks]
    assert order == [task.id for task in merged(parts, seed=3).tasks]
    assert order != [task.id for task in merged(parts, seed=4).tasks]
    assert order != list(known)
    summary = study(tmp_path, domain=list(names), rule=["none", "eq1"], merge=True)
    assert {(row["data"], row["domain"], row["tasks"]) for row in summary["rows"]} == {("merged", "merged", len(known))}
    assert {it["measure"] for it in summary["comparisons"]} == {"f1_at_5", "recall_at_10", "mrr"}
    for it in summary["comparisons"]:
        none, eq1 = (row[it["measure"]] for row in summary["rows"])
        assert it["difference"] == pytest.approx(eq1 - none)
    assert "### Mean over domains" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_hidden_names_are_codes_that_tell_nothing(domains: Mapping[str, StudyDomain], share: float) -> None:
    plain = domains["northwind"]
    coded = hidden(plain, share=share, seed=1)
    assert coded == hidden(plain, share=share, seed=1)
    pairs = list(zip(plain.catalogue.objects, coded.catalogue.objects, strict=True))
    for kind in ("table", "attribute"):
        of = [(was, now) for was, now in pairs if was.kind == kind]
        changed = [now for was, now in of if was != now]
        assert len(changed) == round(share * len(of))
        assert all(re.fullmatch(r"t_[a-z]{3}_\d\d+|c\d\d+", now.name) and not now.description for now in changed)
    assert all((was.id, was.table, was.kind) == (now.id, now.table, now.kind) for was, now in pairs)
    assert coded.tasks == plain.tasks


def test_repeats_ask_what_was_confirmed_word_for_word(domains: Mapping[str, StudyDomain]) -> None:
    plain = domains["northwind"]
    doubled = replace(plain, tasks=(*plain.tasks, replace(plain.tasks[0], id="again")))
    protocol = DiscoveryProtocol(protocol="repeats")
    rows = replayed(hidden(doubled, share=1.0, seed=0), "blend", "default", protocol=protocol)
    assert [row["task"] for row in rows] == [task.id for task in plain.tasks]
    assert all(len(row["found"]) >= len(row["needed"]) for row in rows)
    assert np.mean([row["gold_first"] for row in rows]) >= 0.98
    forgotten = replayed(hidden(doubled, share=1.0, seed=0), "blend", "none", protocol=protocol)
    assert np.mean([row["gold_first"] for row in forgotten]) < 0.1
    assert all(row["gold_first"] == (set(row["found"][: len(row["needed"])]) == set(row["needed"])) for row in rows)
