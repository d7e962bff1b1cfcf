"""From raw rows of a discovery study to its summary: means with bounds, and each pair of rules compared.

A pure function of the rows: equal rows give the same summary, bit for bit.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from services.measures import MEASURES
from services.studies.discovery.catalogues import MERGED
from services.studies.intervals import EPSILON, Floats, bounds, compare, resampled_means, with_holm
from services.studies.running import Row

MACRO = "macro"
OVERALL = (MACRO, MERGED)
"""Domains whose row is that of all the data: the mean over its domains, or the one that they were merged into."""
COMPARED = ("f1_at_5", "recall_at_10", "mrr")
BASELINE = "none"
ArmName = tuple[str, str]
Values = dict[tuple[str, str], dict[ArmName, dict[str, Floats]]]
"""By (data, domain) and (retriever, rule): each measure of each task, over turns of a rotation their mean."""


def summarise_discovery(rows: Iterable[Row], *, stated: Row, seed: int) -> dict[str, Any]:
    """Return `rows` by domain and arm, and `comparisons`; `stated` is what all rows have in common."""
    values = _values(rows)
    drawn = {
        (place, name): resampled_means(
            np.column_stack([by[name] for by in arms.values()]), seed=[seed, *"/".join(place).encode()]
        )
        for place, arms in values.items()
        for name in COMPARED
    }
    out: list[dict[str, Any]] = []
    comparisons: list[dict[str, Any]] = []
    for data in dict.fromkeys(place[0] for place in values):
        places = [place for place in values if place[0] == data]
        groups = [(domain, [(data, domain)]) for _, domain in places]
        if data != MERGED:
            groups.append((MACRO, places))
        for domain, members in groups:
            arms = list(values[members[0]])
            means = {name: np.mean([drawn[member, name] for member in members], axis=0) for name in COMPARED}
            for at, arm in enumerate(arms):
                low, high = bounds(means["f1_at_5"][:, at])
                out.append(
                    {"data": data, "domain": domain, "retriever": arm[0], "rule": arm[1], **stated}
                    | _measures([values[member][arm] for member in members])
                    | _against_baseline([values[member] for member in members], arm)
                    | {"low": low, "high": high}
                )
            for name in COMPARED:
                place = {"data": data, "domain": domain, "measure": name}
                comparisons += _compared(place, arms, means[name], [values[member] for member in members])
    return {"rows": out, "comparisons": comparisons}


def _values(rows: Iterable[Row]) -> Values:
    found: dict[tuple[str, str], dict[ArmName, dict[str, dict[str, list[float]]]]] = {}
    for row in rows:
        arms = found.setdefault((row["data"], row["domain"]), {})
        tasks = arms.setdefault((row["retriever"], row["rule"]), {name: {} for name in MEASURES})
        for name in MEASURES:
            tasks[name].setdefault(row["task"], []).append(row[name])
    return {
        place: {arm: {name: _means(tasks) for name, tasks in by.items()} for arm, by in arms.items()}
        for place, arms in found.items()
    }


def _means(tasks: Mapping[str, list[float]]) -> Floats:
    return np.array([sum(scored) / len(scored) for scored in tasks.values()], dtype=np.float64)


def _measures(members: Sequence[Mapping[str, Floats]]) -> dict[str, Any]:
    means = {name: float(np.mean([member[name].mean() for member in members])) for name in MEASURES}
    return {**means, "tasks": sum(len(member["f1_at_5"]) for member in members)}


def _against_baseline(members: Sequence[Mapping[ArmName, Mapping[str, Floats]]], arm: ArmName) -> dict[str, Any]:
    """Harm and help rate: the shares of tasks below and above the registry alone; None where it was not run."""
    baseline = (arm[0], BASELINE)
    if any(baseline not in member for member in members):
        return {"harm": None, "help": None}
    gains = [member[arm]["f1_at_5"] - member[baseline]["f1_at_5"] for member in members]
    return {
        "harm": float(np.mean([np.mean(gain < -EPSILON) for gain in gains])),
        "help": float(np.mean([np.mean(gain > EPSILON) for gain in gains])),
    }


def _compared(
    place: Row, arms: Sequence[ArmName], means: Floats, members: Sequence[Mapping[ArmName, Mapping[str, Floats]]]
) -> list[dict[str, Any]]:
    """Each later rule minus each earlier one of its retriever, by the place's measure; Holm over all pairs of it."""
    found: list[dict[str, Any]] = []
    for one, two in combinations(range(len(arms)), 2):
        if arms[one][0] != arms[two][0]:
            continue
        name = place["measure"]
        gains = [member[arms[two]][name] - member[arms[one]][name] for member in members]
        pair = {"retriever": arms[one][0], "a": arms[two][1], "b": arms[one][1]}
        found.append({**place, **pair, **compare(gains, means[:, two] - means[:, one])})
    return with_holm(found, names=("retriever", "a", "b"))
