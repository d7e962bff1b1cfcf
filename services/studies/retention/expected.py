"""Retained lists against those that scenario files expect: ids, order and ties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from services.retention.arms import RetentionArm, parse_arm
from services.studies.retention.cases import Suite

LEAST: Mapping[str, float] = {"hashing-ascii": 1.0, "neural": 0.996}
"""What share of lists must be equal: all, but where a model's last bits depend on the machine."""


def expected_encoders(suites: Iterable[Suite]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(encoder for suite in suites for encoder in suite.file.expected))


def expected_arms(suite: Suite, encoder: str) -> tuple[tuple[RetentionArm, float | None], ...]:
    return tuple((parse_arm(policy), None) for policy in suite.file.expected.get(encoder, {}))


def compare_lists(suites: Sequence[Suite], rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """By suite, encoder and policy: how many lists are equal, of how many, and the scenarios where they differ."""
    by_suite = {suite.file.suite: suite.file.expected for suite in suites}
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        lists = by_suite[row["suite"]].get(row["encoder"], {}).get(row["policy"], {})
        if row["scenario"] not in lists:
            continue
        place = (row["suite"], row["encoder"], row["policy"])
        names = ("suite", "encoder", "policy")
        entry = found.setdefault(
            place, {**dict(zip(names, place, strict=True)), "equal": 0, "scenarios": 0, "differing": []}
        )
        entry["scenarios"] += 1
        if tuple(row["retained"]) == lists[row["scenario"]]:
            entry["equal"] += 1
        else:
            entry["differing"].append(row["scenario"])
    return list(found.values())


def agreement(checked: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """By encoder: lists that are equal, of how many."""
    found: dict[str, tuple[int, int]] = {}
    for it in checked:
        equal, count = found.get(it["encoder"], (0, 0))
        found[it["encoder"]] = (equal + it["equal"], count + it["scenarios"])
    return found


def falls_short(checked: Iterable[Mapping[str, Any]]) -> list[str]:
    """The encoders under which too few lists are equal."""
    return [
        encoder for encoder, (equal, count) in agreement(checked).items() if equal < LEAST.get(encoder, 1.0) * count
    ]
