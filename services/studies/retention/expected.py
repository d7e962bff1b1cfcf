"""Retained lists compared with those that scenario files expect: ids, order and ties."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from services.retention.arms import parse_arm
from services.studies.retention.protocol import StudyArms
from services.studies.retention.scenario_files import Suite
from services.studies.running import Row

LEAST: Mapping[str, float] = {"hashing-ascii": 1.0, "neural": 0.996}
"""The share of lists that must be equal: all, but where a model's last bits depend on the machine."""


def expected_encoders(suites: Iterable[Suite]) -> tuple[str, ...]:
    """Return the encoders under which some suite has expected lists."""
    return tuple(dict.fromkeys(encoder for suite in suites for encoder in suite.expected))


def expected_arms(suite: Suite, encoder: str) -> StudyArms:
    """Return the policies that the suite has expected lists of under this encoder."""
    return tuple((parse_arm(policy), None) for policy in suite.expected.get(encoder, {}))


def compare_lists(suites: Sequence[Suite], rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Count equal lists by suite, encoder and policy; `differing` names the scenarios whose lists differ."""
    by_suite = {suite.name: suite.expected for suite in suites}
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        place = {name: row[name] for name in ("suite", "encoder", "policy")}
        lists = by_suite[row["suite"]].get(row["encoder"], {}).get(row["policy"], {})
        if row["scenario"] not in lists:
            continue
        entry = found.setdefault(tuple(place.values()), {**place, "equal": 0, "scenarios": 0, "differing": []})
        entry["scenarios"] += 1
        if tuple(row["retained"]) == lists[row["scenario"]]:
            entry["equal"] += 1
        else:
            entry["differing"].append(row["scenario"])
    return list(found.values())


def agreement(checked: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """Return, by encoder, the number of equal lists and of all lists."""
    found: dict[str, tuple[int, int]] = {}
    for it in checked:
        equal, count = found.get(it["encoder"], (0, 0))
        found[it["encoder"]] = (equal + it["equal"], count + it["scenarios"])
    return found


def falls_short(checked: Iterable[Row]) -> list[str]:
    """Return the encoders under which too few lists are equal."""
    return [
        encoder for encoder, (equal, count) in agreement(checked).items() if equal < LEAST.get(encoder, 1.0) * count
    ]
