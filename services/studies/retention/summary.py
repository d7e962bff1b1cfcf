"""From raw rows of a retention study to its summary: rates with bounds, arms compared, budgets, sweeps.

A pure function of the rows: equal rows give the same summary, bit for bit.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from services.studies.intervals import Floats, bounds, compare, resampled_means, with_holm
from services.studies.retention.suites import ARM_SWEEPS
from services.studies.running import Row

BASELINE, CHOSEN = "similar", "default"
REGIMES = ("control", "target", "all")
HALF = 0.5
NEAR = 0.02


def summarise_retention(rows: Iterable[Row], *, seed: int) -> dict[str, Any]:
    """Return `rows` and `comparisons` by suite, encoder and regime, and rates by budget, depth and place on a sweep.

    `budgets` and `transitions` are empty for one budget, `depths` where all chains are of one, `sweep` without one.
    """
    by_group: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_group.setdefault((row["suite"], row["encoder"]), []).append(row)
    keys = ("rows", "comparisons", "budgets", "transitions", "depths", "sweep")
    summary: dict[str, Any] = {key: [] for key in keys}
    for group, own in by_group.items():
        for regime in REGIMES:
            members = [row for row in own if regime in ("all", row["regime"])]
            if not members:
                continue
            arms = ArmTable(members, seed=[seed, *"/".join((*group, regime)).encode()])
            stated = {"suite": group[0], "encoder": group[1], "regime": regime}
            summary["rows"] += arms.rates(stated)
            summary["comparisons"] += arms.compared(stated)
            summary["budgets"] += list(_points(members, stated, "multiplier", seed=seed))
            if "sweep" not in members[0]:
                summary["depths"] += list(_points(members, stated, "depth", seed=seed))
            else:
                summary["sweep"] += list(_points(members, stated, "at", seed=seed))
    summary["transitions"] = list(transitions(summary["budgets"]))
    return summary


class ArmTable:
    """Scenarios (at each budget) by arms; all arms are resampled with the same draws."""

    def __init__(self, rows: Sequence[Row], *, seed: Sequence[int]) -> None:
        self.by_arm: dict[str, list[Row]] = {}
        for row in rows:
            self.by_arm.setdefault(row["policy"], []).append(row)
        values = np.column_stack([[row["full_chain"] for row in own] for own in self.by_arm.values()])
        self.values: Floats = values.astype(np.float64)
        self.means = resampled_means(self.values, seed=seed)

    def rates(self, stated: Row) -> Iterator[dict[str, Any]]:
        """Yield each arm's rates with their bounds, and how often each failure occurred."""
        for place, (policy, own) in enumerate(self.by_arm.items()):
            low, high = bounds(self.means[:, place])
            classes = [row["failure"] for row in own if row["failure"] != "none"]
            yield {
                "suite": stated["suite"],
                "policy": policy,
                "encoder": stated["encoder"],
                "regime": stated["regime"],
                "full_chain": _mean(own, "full_chain"),
                "coverage": _mean(own, "coverage"),
                "chain_break_rate": _mean(own, "chain_broken"),
                "scenarios": len(own),
                "low": low,
                "high": high,
                "failures": {name: classes.count(name) for name in sorted(set(classes))},
            }

    def compared(self, stated: Row) -> list[dict[str, Any]]:
        """Return every arm minus plain similarity, and the default minus every arm; Holm over these."""
        names = list(self.by_arm)
        found = []
        for a, b in permutations(names, 2):
            if b == BASELINE or a == CHOSEN:
                one, two = names.index(a), names.index(b)
                gains, drawn = self.values[:, one] - self.values[:, two], self.means[:, one] - self.means[:, two]
                found.append({**stated, "a": a, "b": b, **compare([gains], drawn)})
        return with_holm(found, names=("a", "b"))


def _mean(rows: Sequence[Row], key: str) -> float:
    return float(np.mean([row[key] for row in rows]))


def _points(rows: Sequence[Row], stated: Row, key: str, *, seed: int) -> Iterator[dict[str, Any]]:
    """Rates by the value of `key`; nothing where there is one value only."""
    by_value: dict[float, dict[str, list[Row]]] = {}
    for row in rows:
        if row[key] is not None:
            by_value.setdefault(row[key], {}).setdefault(_series(row) if key == "at" else row["policy"], []).append(row)
    if len(by_value) < 2:
        return
    for value, arms in sorted(by_value.items()):
        for policy, own in arms.items():
            drawn = resampled_means(
                np.array([[row["full_chain"]] for row in own], dtype=np.float64),
                seed=[seed, *f"{'/'.join(stated.values())}/{key}/{value}".encode()],
            )
            low, high = bounds(drawn[:, 0])
            yield {
                **stated,
                **({"sweep": own[0]["sweep"]} if key == "at" else {}),
                "policy": policy,
                key: value,
                "full_chain": _mean(own, "full_chain"),
                "scenarios": len(own),
                "low": low,
                "high": high,
            }


def _series(row: Row) -> str:
    """The arm without the parameter that is swept: its line in a plot."""
    if row["sweep"] not in ARM_SWEEPS:
        return str(row["policy"])
    (_, parameter), _ = ARM_SWEEPS[row["sweep"]]
    policy, _, rest = row["policy"].partition("@")
    kept = [part for part in rest.split(",") if not part.startswith(f"{parameter}=")]
    return f"{policy}@{','.join(kept)}" if kept else str(policy)


def transitions(budgets: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield, by policy, two budgets in multiples of the chain; None where no budget that was tried reaches one.

    From `transition` on it keeps whole chains half of the time (between two budgets on a straight line), and from
    `crossover` on plain similarity is no more than .02 behind it.
    """
    curves: dict[tuple[str, ...], dict[str, list[tuple[float, float]]]] = {}
    for row in budgets:
        place = (row["suite"], row["encoder"], row["regime"])
        curves.setdefault(place, {}).setdefault(row["policy"], []).append((row["multiplier"], row["full_chain"]))
    for (suite, encoder, regime), by_policy in curves.items():
        plain = by_policy.get(BASELINE)
        for policy, curve in by_policy.items():
            behind = None
            if plain is not None and policy != BASELINE:
                behind = _from_on([(m, own <= other + NEAR) for (m, own), (_, other) in zip(curve, plain, strict=True)])
            yield {
                "suite": suite,
                "encoder": encoder,
                "regime": regime,
                "policy": policy,
                "transition": _transition(curve),
                "crossover": behind,
            }


def _from_on(holds: Sequence[tuple[float, bool]]) -> float | None:
    """The smallest budget from which on it holds at all that were tried."""
    found = None
    for multiplier, held in reversed(holds):
        if not held:
            break
        found = multiplier
    return found


def _transition(curve: Sequence[tuple[float, float]]) -> float | None:
    start = _from_on([(multiplier, rate >= HALF) for multiplier, rate in curve])
    if start is None:
        return None
    place = [multiplier for multiplier, _ in curve].index(start)
    if place == 0:
        return start
    (before, low), (after, high) = curve[place - 1], curve[place]
    return before + (after - before) * (HALF - low) / (high - low)
