"""Curves of a discovery study: gains along the stream of tasks, and wins, ties and losses by family.

A pure function of the rows, as the summary is; plots draw what is computed here.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from services.studies.discovery.summary import BASELINE
from services.studies.intervals import EPSILON, bounds, resampled_means
from services.studies.running import Row

PARTS = 8  # of a domain's stream: enough to see a curve, few enough that each holds some tasks


def learning(rows: Iterable[Row], *, seed: int) -> list[dict[str, Any]]:
    """Return, by data, arm and part of the stream, F1@5 above no memory: the mean over domains with its bounds."""
    found: list[dict[str, Any]] = []
    for (data, retriever, rule), gains in _gains(rows).items():
        by_domain: dict[str, list[float]] = {}
        for (domain, _, _), gain in gains.items():
            by_domain.setdefault(domain, []).append(gain)
        streams = [np.array_split(np.array(stream), PARTS) for stream in by_domain.values() if len(stream) >= PARTS]
        for part in range(PARTS if streams else 0):
            cells = [stream[part] for stream in streams]
            salt = [*f"{data}/{retriever}/{rule}".encode()]
            draws = [resampled_means(it[:, None], seed=[seed, part, at, *salt]) for at, it in enumerate(cells)]
            low, high = bounds(np.mean(draws, axis=0)[:, 0])
            place = {"data": data, "retriever": retriever, "rule": rule, "part": (part + 0.5) / PARTS}
            gain = float(np.mean([it.mean() for it in cells]))
            found.append(place | {"gain": gain, "low": low, "high": high, "tasks": sum(map(len, cells))})
    return found


def families(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Count wins, ties and losses against no memory, by data, domain, family (a domain without: one) and arm."""
    found: dict[tuple[str, ...], list[float]] = {}
    for (data, retriever, rule), gains in _gains(rows).items():
        for (domain, family, _), gain in gains.items():
            found.setdefault((data, domain, family, retriever, rule), []).append(gain)
    return [
        dict(zip(("data", "domain", "family", "retriever", "rule"), place, strict=True))
        | {
            "wins": sum(gain > EPSILON for gain in gains),
            "ties": sum(abs(gain) <= EPSILON for gain in gains),
            "losses": sum(gain < -EPSILON for gain in gains),
            "gain": float(np.mean(gains)),
        }
        for place, gains in found.items()
    ]


def _gains(rows: Iterable[Row]) -> dict[tuple[str, str, str], dict[tuple[str, str, str], float]]:
    """By (data, retriever, rule), and by (domain, family, task) in the order of tasks: F1@5 above that of no memory;
    over turns of a rotation the mean. Nothing of a retriever that no memory was not run with."""
    scored: dict[tuple[str, str, str], dict[tuple[str, str, str], list[float]]] = {}
    for row in rows:
        arm = scored.setdefault((row["data"], row["retriever"], row["rule"]), {})
        arm.setdefault((row["domain"], row["family"] or "", row["task"]), []).append(row["f1_at_5"])
    return {
        (data, retriever, rule): {task: _mean(own) - _mean(alone[task]) for task, own in tasks.items()}
        for (data, retriever, rule), tasks in scored.items()
        if rule != BASELINE and (alone := scored.get((data, retriever, BASELINE))) is not None
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
