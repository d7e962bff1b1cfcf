"""Runs the retention studies that `retention.md` shows and rewrites its tables: `python docs/studies/retention.py`.

Kept beside it: one line a made-up scenario with what each policy made of it, and of the published scenarios the rates
alone. `--tables` only rewrites the tables from what is kept, which a test holds the page to.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from api.wiring import now
from services.encoders import load_encoder
from services.retention.arms import POLICIES
from services.studies.intervals import bounds, resampled_means
from services.studies.retention.protocol import RetentionProtocol
from services.studies.retention.study import RetentionStudy
from services.studies.retention.suites import OTHERS
from services.studies.retention.summary import transitions
from services.studies.running import run as run_study

HERE = Path(__file__).parent
PAGE, ROWS, PUBLISHED = HERE / "retention.md", HERE / "retention.jsonl", HERE / "retention_published.json"
FILES = Path(os.environ.get("RETINUE_SHARED", HERE.parents[2] / "shared")) / "data" / "retention"
FEW = ("similar", "dsgc", "closure", "default")
SWEPT = ("similar", "everything-with-an-edge", "dsgc", "multi_hop", "closure", "default")
WEAK = ("lexical-causal0.5", "fan4-random0.5", "fan4-causal0.5")

STUDIES: Mapping[str, RetentionProtocol] = {
    "own": RetentionProtocol(policy=tuple(name for name in POLICIES if name != "coverage")),  # scenarios have no calls
    "neural": RetentionProtocol(suite=("controls", "rivals", "noise"), policy=FEW, encoder=("neural",), repeat=1),
    "lexical": RetentionProtocol(policy=FEW, encoder=("tfidf", "bm25"), repeat=1),
    "words": RetentionProtocol(
        suite=tuple(f"{suite}_{said}" for said in OTHERS for suite in ("clean", "noise", "stress")),
        policy=FEW,
        repeat=1,
    ),
    "weak": RetentionProtocol(suite=("weak",), policy=("closure", "credible", "default"), repeat=12, seed=100),
    "budget": RetentionProtocol(suite=("chains", "fans", "noise"), policy=SWEPT, sweep="budget", repeat=2),
    **{
        name: RetentionProtocol(policy=SWEPT, sweep=name, repeat=4)
        for name in ("scale", "length", "density", "noise", "loss")
    },
    **{
        name: RetentionProtocol(suite=("chains", "fans", "noise"), sweep=name, repeat=1)
        for name in ("lambda", "depth", "threshold", "top", "beta")
    },
}
BARS: Sequence[tuple[str, str, str, float, float]] = (
    # suite, regime, policy, at least under hashing, under neural
    ("main", "target", "dsgc", 0.895, 0.995),
    ("main", "target", "default", 1.0, 1.0),
    ("budget_curve", "target", "default", 1.0, 1.0),
    ("scale_50", "target", "default", 1.0, 1.0),
    ("scale_200", "target", "default", 1.0, 1.0),
    ("scale_1000", "target", "default", 1.0, 1.0),
    ("graph_chains", "target", "default", 0.95, 0.95),
    ("graph_dags", "target", "default", 0.95, 0.95),
    ("graph_twins", "target", "default", 0.95, 0.95),
    ("graph_noise", "target", "default", 0.97, 0.97),
)


def run(names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Thin rows: a scenario at a budget under an encoder, with a mark of 0 or 1 for each arm."""
    model, _ = load_encoder("auto")
    for name in names:
        protocol = STUDIES[name]
        print(name, flush=True)  # noqa: T201
        with tempfile.TemporaryDirectory() as folder:
            run_study(RetentionStudy(protocol, encoder=model), Path(folder), clock=now)
            lines = (Path(folder) / "rows.jsonl").read_text(encoding="utf-8").splitlines()
        yield from thin(name, map(json.loads, lines))


def thin(name: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        place = (row["suite"], row["scenario"], row["encoder"], row["multiplier"])
        stated = {key: row[key] for key in ("suite", "scenario", "regime", "encoder", "multiplier")}
        entry = found.setdefault(place, {"study": name, **stated, "kept": {}})
        if "sweep" in row and protocol_arms(name) == "fixed":
            entry["at"] = row["at"]
        entry["kept"][row["policy"]] = row["full_chain"]
    yield from found.values()


def protocol_arms(name: str) -> str:
    """Whether a study walks over scenarios (its arms are `fixed`) or over a parameter of arms (`swept`)."""
    return "swept" if any(at is not None for _, at in STUDIES[name].arms()) else "fixed"


def published() -> dict[str, Any]:
    """Rates on the published scenarios and agreement with their lists; nothing of their texts."""
    model, _ = load_encoder("auto")
    encoders = ("hashing", "neural") if model is not None else ("hashing",)
    protocol = RetentionProtocol(data=(str(FILES),), policy=FEW, encoder=encoders)
    summary = run_study(RetentionStudy(protocol, encoder=model), None, clock=now)
    listed = RetentionProtocol(data=(str(FILES),))
    checked = run_study(RetentionStudy(listed, encoder=model, check_expected=True), None, clock=now)["expected"]
    keys = ("suite", "encoder", "regime", "policy", "full_chain", "scenarios")
    agreed = {
        encoder: [sum(it[key] for it in checked if it["encoder"] == encoder) for key in ("equal", "scenarios")]
        for encoder in dict.fromkeys(it["encoder"] for it in checked)
    }
    rows = [{key: row[key] for key in keys} for row in summary["rows"] if row["regime"] != "all"]
    return {"agreed": agreed, "rows": rows}


def tables(rows: Sequence[Mapping[str, Any]], figures: Mapping[str, Any]) -> dict[str, str]:
    """Every table of the page by its name."""
    by_study: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_study.setdefault(row["study"], []).append(row)
    made = {"agreement": agreement(figures), "published": on_published(figures), "bars": bars(figures, by_study)}
    for name, own in by_study.items():
        if name == "budget":
            made[name] = by_budget(own)
        elif STUDIES[name].sweep is None:
            made[name] = by_suite(own)
        else:
            made[name] = by_point(name, own)
    return made


def rate(rows: Iterable[Mapping[str, Any]], policy: str) -> float:
    return float(np.mean([row["kept"][policy] for row in rows]))


def lines(*rows: Sequence[str]) -> str:
    head, *rest = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rest))


def agreement(figures: Mapping[str, Any]) -> str:
    return lines(
        ("encoder", "lists as expected", "of", "share"),
        *(
            (encoder, f"{equal:,}", f"{count:,}", f"{100 * equal / count:.1f} %")
            for encoder, (equal, count) in figures["agreed"].items()
        ),
    )


def on_published(figures: Mapping[str, Any]) -> str:
    found: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for row in figures["rows"]:
        place = (row["suite"], row["regime"])
        found.setdefault(place, {})[row["encoder"], row["policy"]] = row["full_chain"]
    encoders = list(dict.fromkeys(row["encoder"] for row in figures["rows"]))
    return lines(
        ("suite", "regime", *(f"{policy} ({' / '.join(encoders)})" for policy in FEW)),
        *(
            (suite, regime, *(" / ".join(f"{by[encoder, policy]:.2f}" for encoder in encoders) for policy in FEW))
            for (suite, regime), by in found.items()
        ),
    )


def bars(figures: Mapping[str, Any], by_study: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    found = {(r["suite"], r["regime"], r["policy"], r["encoder"]): r["full_chain"] for r in figures["rows"]}
    shown = []
    for suite, regime, policy, plain, neural in BARS:
        for encoder, least in (("hashing", plain), ("neural", neural)):
            if (figure := found.get((suite, regime, policy, encoder))) is not None:
                shown.append(
                    (f"{policy} on {suite}, {regime}, {encoder}", f"at least {least:.2f}", figure, figure >= least)
                )
    for suite in dict.fromkeys(row["suite"] for row in figures["rows"] if row["regime"] == "control"):
        behind = min(
            found[suite, "control", "default", encoder] - found[suite, "control", "similar", encoder]
            for encoder in figures["agreed"].keys() & {"neural"} | {"hashing"}
        )
        shown.append((f"default minus similar on {suite}, control", "at least -.02", behind, behind >= -0.02))
    stress = [row for row in by_study["own"] if row["suite"] == "stress"]
    shown.append(
        ("default on the stress set, hashing", "at least .95", rate(stress, "default"), rate(stress, "default") >= 0.95)
    )
    for mark in WEAK:
        figure = rate([row for row in by_study["weak"] if mark in row["scenario"]], "default")
        shown.append((f"default on the weak cell {mark}, hashing", "above .80", figure, figure > 0.8))
    return lines(
        ("what", "bar", "measured", ""),
        *((what, bar, f"{figure:.3f}", "met" if met else "**missed**") for what, bar, figure, met in shown),
    )


def by_suite(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rates with their 95 % bounds, scenarios resampled."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["suite"], row["encoder"]), []).append(row)
    policies = list(rows[0]["kept"])
    made = []
    for (suite, encoder), own in groups.items():
        values = np.array([[row["kept"][policy] for policy in policies] for row in own], dtype=np.float64)
        drawn = resampled_means(values, seed=[0, *suite.encode()])
        cells = []
        for place in range(len(policies)):
            low, high = bounds(drawn[:, place])
            cells.append(f"{values[:, place].mean():.2f} ({low:.2f} to {high:.2f})")
        made.append((f"{suite}, {encoder}", str(len(own)), *cells))
    if len(policies) > 6:  # too wide for a page: policies are the rows
        return lines(
            ("policy", *(f"{suite.partition(',')[0]} (n {count})" for suite, count, *_ in made)),
            *((policy, *(row[place + 2] for row in made)) for place, policy in enumerate(policies)),
        )
    return lines(("suite", "n", *policies), *made)


def by_budget(rows: Sequence[Mapping[str, Any]]) -> str:
    points = [
        {"suite": suite, "encoder": "hashing", "regime": "target", "policy": policy, "multiplier": multiplier}
        | {"full_chain": rate([r for r in rows if (r["suite"], r["multiplier"]) == (suite, multiplier)], policy)}
        for suite in dict.fromkeys(row["suite"] for row in rows)
        for policy in rows[0]["kept"]
        for multiplier in sorted({row["multiplier"] for row in rows})
    ]
    budgets = sorted({row["multiplier"] for row in rows})
    made = []
    for turn in transitions(points):
        own = [p for p in points if (p["suite"], p["policy"]) == (turn["suite"], turn["policy"])]
        ends = ["none" if turn[key] is None else f"x{turn[key]:.2f}" for key in ("transition", "crossover")]
        made.append((f"{turn['suite']}: {turn['policy']}", *(f"{p['full_chain']:.2f}" for p in own), *ends))
    return lines(("suite and policy", *(f"x{it:g}" for it in budgets), "transition", "crossover"), *made)


def by_point(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    if protocol_arms(name) == "swept":
        arms = STUDIES[name].arms()
        policy = arms[0][0].policy.name
        return lines(
            (f"{policy}, {name}", *(f"{at:g}" for _, at in arms)),
            *(
                (suite, *(f"{rate([r for r in rows if r['suite'] == suite], arm.name):.2f}" for arm, _ in arms))
                for suite in dict.fromkeys(row["suite"] for row in rows)
            ),
        )
    values = sorted({row["at"] for row in rows})
    return lines(
        (name, *(f"{it:g}" for it in values)),
        *(
            (policy, *(f"{rate([r for r in rows if r['at'] == it], policy):.2f}" for it in values))
            for policy in rows[0]["kept"]
        ),
    )


def with_tables(page: str, made: Mapping[str, str]) -> str:
    """The page with each table between its marks."""
    for name, table in made.items():
        begin, end = f"<!-- table: {name} -->\n", "\n<!-- end -->"
        before, mark, rest = page.partition(begin)
        if not mark:
            raise SystemExit(f"The page has no place for the table {name}")
        page = before + begin + table + end + rest.partition(end)[2]
    return page


def kept() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    return rows, json.loads(PUBLISHED.read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", action="store_true", help="only rewrite the tables")
    parser.add_argument("--study", nargs="*", choices=[*STUDIES, "published"], help="only these; the others stay")
    asked = parser.parse_args()
    names = [] if asked.tables else asked.study or [*STUDIES, "published"]
    if "published" in names and FILES.exists():
        PUBLISHED.write_text(json.dumps(published(), indent=1) + "\n", encoding="utf-8")
    if fresh := [name for name in names if name != "published"]:
        old = kept()[0] if ROWS.exists() else []
        rows = [row for row in old if row["study"] not in fresh] + list(run(fresh))
        rows.sort(key=lambda row: list(STUDIES).index(row["study"]))
        ROWS.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), tables(*kept())), encoding="utf-8")


if __name__ == "__main__":
    main()
