"""The page of the discovery studies: its tables follow from the raw rows that are kept, and say what was to be shown.

The bars themselves are in the page with whether they hold; those that a user is promised are asserted here too.
"""

from __future__ import annotations

import gzip
import json
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from api.wiring import open_memory_store
from kit.installation import CHECKOUT
from services.encoders import Encoder
from services.measures import measured
from services.studies.discovery.protocol import DiscoveryProtocol
from services.studies.discovery.study import DiscoveryStudy
from services.studies.discovery.summary import summarise_discovery
from services.studies.discovery.tasks import read_domains

STUDIES = CHECKOUT / "docs" / "studies"
KEPT = STUDIES / "discovery"
PACKED = sorted(KEPT.glob("*.rows.jsonl.gz"))
STATED = ("encoder", "memories", "corrupt", "protocol")

Run = Mapping[str, Any]


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in KEPT.glob("*.json")}


def raw_rows(file: Path) -> Iterator[dict[str, Any]]:
    """With what each task needed, and every measure worked out anew."""
    rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
    domains = read_domains([], names=sorted({row["domain"] for row in rows}))
    needed = {(domain.name, task.id): task.needed for domain in domains for task in domain.tasks}
    for row in rows:
        yield row | measured(row["found"], needed[row["domain"], row["task"]])


def test_the_page_is_made_from_what_is_kept() -> None:
    page_lines = runpy.run_path(str(STUDIES / "discovery_page.py"))["page_lines"]
    assert "\n".join(page_lines(KEPT)) + "\n" == (STUDIES / "discovery.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", PACKED, ids=lambda file: file.name.partition(".")[0])
def test_the_tables_of_bundled_domains_follow_from_their_raw_rows(file: Path, runs: dict[str, Run]) -> None:
    kept = runs[file.name.partition(".")[0]]
    rows = list(raw_rows(file))
    stated = {name: kept["rows"][0][name] for name in STATED}
    made = summarise_discovery(rows, stated=stated, seed=kept["run"]["seed"])
    compared = [it for it in made["comparisons"] if it["measure"] == "f1_at_5"]
    for name, anew in (("rows", made["rows"]), ("comparisons", compared)):
        for told, again in zip(kept[name], anew, strict=True):
            assert told == {
                key: pytest.approx(it, abs=1e-6) if isinstance(it, float) else it for key, it in again.items()
            }


def test_rows_are_kept_of_every_bundled_study_and_are_small() -> None:
    names = {file.name.partition(".")[0] for file in PACKED}
    assert {"bundled_minilm", "bundled_corrupt_minilm", "bundled_wrong_minilm", "opaque_minilm"} <= names
    assert sum(file.stat().st_size for file in PACKED) < 2_000_000


@pytest.mark.parametrize("retriever", ["tfidf", "neural"])
def test_equation_one_gains_in_each_bundled_domain(runs: dict[str, Run], retriever: str) -> None:
    lows = {it["domain"]: it["low"] for it in compared(runs["bundled_minilm"], retriever, "eq1", "none")}
    assert len(lows) == 3
    assert min(lows.values()) > 0


def test_memory_wins_where_names_tell_nothing(runs: dict[str, Run]) -> None:
    for retriever in ("tfidf", "neural"):
        found = compared(runs["opaque_minilm"], retriever, "memory", "none")
        assert len(found) == 3
        assert min(it["low"] for it in found) > 0


def test_imperfect_memories_still_serve(runs: dict[str, Run]) -> None:
    run = runs["bundled_corrupt_minilm"]
    assert all(0.70 <= value <= 0.76 for value in run["run"]["agreement"].values())
    for retriever in ("tfidf", "neural"):
        gains = [it["difference"] for it in compared(run, retriever, "eq1", "none")]
        assert sum(gain >= 0 for gain in gains) >= 2
    assert min(it["difference"] for it in compared(run, "tfidf", "eq1", "names")) > 0


def test_wrong_memories_push_equation_one_below_the_registry_and_not_the_default_rule(runs: dict[str, Run]) -> None:
    run = runs["bundled_wrong_minilm"]
    for retriever in ("tfidf", "neural"):
        assert all(it["losses"] >= 3 for it in compared(run, retriever, "eq1", "none"))
        assert all(it["difference"] < 0 for it in compared(run, retriever, "eq1", "none"))
    assert min(it["difference"] for it in compared(run, "blend", "default", "none")) >= -0.005


def test_the_weight_of_the_default_rule_adapts(runs: dict[str, Run]) -> None:
    """With true memories it gains; with wrong ones it loses less than the fixed weight of Eq. 1."""
    for it in compared(runs["bundled_minilm"], "blend", "default", "none"):
        assert it["difference"] > 0
    wrong = runs["bundled_wrong_minilm"]
    for it in compared(wrong, "blend", "default", "eq1"):
        assert it["difference"] > 0


def compared(run: Run, retriever: str, a: str, b: str) -> list[Run]:
    """Rule a minus rule b in each domain, whichever way round the study compared them."""
    found = []
    for it in run["comparisons"]:
        if it["retriever"] == retriever and it["domain"] != "macro" and {it["a"], it["b"]} == {a, b}:
            turned = {"difference": -it["difference"], "low": -it["high"], "wins": it["losses"], "losses": it["wins"]}
            found.append(it if it["a"] == a else {**it, **turned})
    return found


def rows_again(kept: Run, *, retriever: str, rule: str, encoder: Encoder | None) -> list[dict[str, Any]]:
    """One arm of a kept study, over one of its domains."""
    given: dict[str, Any] = {
        name: tuple(it) if isinstance(it, list) else it for name, it in kept["run"]["protocol"].items()
    }
    protocol = DiscoveryProtocol(**given | {"domain": ("northwind",), "retriever": (retriever,), "rule": (rule,)})
    study = DiscoveryStudy(protocol, open_store=open_memory_store, encoder=encoder)
    return [dict(row) for part in study.parts() for row in part()]


def check_against_kept(again: list[dict[str, Any]], name: str) -> None:
    def key(row: Mapping[str, Any]) -> tuple[object, ...]:
        return tuple(row[field] for field in ("domain", "task", "turn", "retriever", "rule"))

    kept = {key(row): row["found"] for row in raw_rows(KEPT / f"{name}.rows.jsonl.gz")}
    assert len(again) > 100
    assert [key(row) for row in again if list(row["found"]) != kept[key(row)]] == []


@pytest.mark.parametrize("name", ["bundled_minilm", "bundled_wrong_minilm"])
def test_equation_one_run_anew_finds_what_is_kept(name: str, runs: dict[str, Run]) -> None:
    check_against_kept(rows_again(runs[name], retriever="tfidf", rule="eq1", encoder=None), name)


def test_the_default_rule_run_anew_finds_what_is_kept(neural: Encoder, runs: dict[str, Run]) -> None:
    name = "bundled_wrong_minilm"
    check_against_kept(rows_again(runs[name], retriever="blend", rule="default", encoder=neural), name)
