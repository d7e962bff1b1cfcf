"""Precision and recall of the premises inferred from simulated logs, by grade, and how well weights are calibrated.

`python -m benchmarks.premise_quality [--seeds 0:40]`, or `--fit` for the weights that are kept. That a result rests on
its own call is given, and counted nowhere.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from benchmarks.logs.errands import ERRANDS
from benchmarks.logs.fresh_errands import FRESH
from benchmarks.logs.more_errands import MORE
from benchmarks.logs.simulated import Difficulty, Errand, SimulatedLog, simulate
from benchmarks.logs.unseen_errands import UNSEEN
from services.transcripts.link_model import FEATURES, FREE
from services.transcripts.linking import Found, candidates, infer_premises
from services.transcripts.reading import read_log

FITTED = ERRANDS + MORE
FIT_SEEDS = range(1000, 1160)  # logs that no figure is measured on
HARDER = Difficulty(idle=0.3, cut=0.25, alike=0.5, again=0.4, reworded=0.6, beside=0.6)
VARIANTS: Mapping[str, tuple[tuple[Errand, ...], Difficulty]] = MappingProxyType(
    {
        "fitted kinds": (FITTED, Difficulty()),
        "unseen kinds": (UNSEEN, Difficulty()),
        "all kinds": (FITTED + UNSEEN, Difficulty()),
        "fitted kinds, harder": (FITTED, HARDER),
        "unseen kinds, harder": (UNSEEN, HARDER),
        "unseen, values alike": (UNSEEN, Difficulty(alike=0.8)),
        "unseen, other words only": (UNSEEN, Difficulty(reworded=1.0)),
        "unseen, half idle": (UNSEEN, Difficulty(idle=0.5)),
        "fresh kinds": (FRESH, Difficulty()),
        "fresh kinds, harder": (FRESH, HARDER),
        "unseen, ids again": (UNSEEN, Difficulty(again=0.9, beside=0.9)),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Counts over logs: true premises, found ones, right ones, by grade."""

    true: int
    found: int
    right: int
    observed: int
    observed_right: int
    idle: float
    weights: tuple[tuple[float, bool], ...]

    @property
    def precision(self) -> float:
        return self.right / max(self.found, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.true, 1)

    @property
    def observed_precision(self) -> float:
        return self.observed_right / max(self.observed, 1)

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.3f}  recall {self.recall:.3f}  observed {self.observed_precision:.4f} "
            f"({self.observed} of {self.found})  idle {self.idle:.2f}"
        )


def inferred(log: SimulatedLog) -> list[Found]:
    steps, faults = read_log(log.lines)
    assert not faults, faults
    assert len(steps) == len(log.premises)
    return [item for item in infer_premises(steps) if log.answers[item.step] != item.premise]


def measure_logs(logs: Iterable[SimulatedLog]) -> Measured:
    true = found = right = observed = observed_right = idle = steps = 0
    weights = []
    for log in logs:
        truth = {(step, premise) for step, needs in enumerate(log.premises) for premise in needs}
        true += len(truth)
        idle += sum(not needs and answer is None for needs, answer in zip(log.premises, log.answers, strict=True))
        steps += len(log.premises)
        for item in inferred(log):
            holds = (item.step, item.premise) in truth
            found, right = found + 1, right + holds
            if item.grade == "observed":
                observed, observed_right = observed + 1, observed_right + holds
            else:
                weights.append((item.weight, holds))
    return Measured(
        true=true, found=found, right=right, observed=observed, observed_right=observed_right,
        idle=idle / max(steps, 1), weights=tuple(weights),
    )  # fmt: skip


EXPECTED = (6.0, 5.0, 4.0, 4.0, 0.5, 2.0, 1.0, 3.0, 1.0, 4.0, 0.0, 1.0, 1.0, 1.0, 1.0, -5.0, -1.0)
"""By feature, before any log was seen."""


def fit(logs: Iterable[SimulatedLog], *, ridge: float = 2.0) -> dict[str, list[float]]:
    """Logistic weights by who uses, drawn to what is expected without any log; sharing never speaks against."""
    rows: dict[str, list[tuple[float, ...]]] = {"call": [], "said": [], "user": []}
    marks: dict[str, list[bool]] = {"call": [], "said": [], "user": []}
    for log in logs:
        steps, _ = read_log(log.lines)
        for place, evidence, _ in candidates(steps):
            for premise, known in evidence.items():
                rows[known.by].append(known.features())
                marks[known.by].append(premise in log.premises[place])
    found = {}
    for by, features in rows.items():
        x, y = np.array(features).reshape(-1, len(FEATURES)), np.array(marks[by], dtype=float)
        w = np.array(EXPECTED)
        expected = np.array(EXPECTED)
        pull = np.full(len(w), ridge)
        pull[-FREE:] = 0.01  # how often premises hold at all is for the logs to say
        floor = np.where(np.arange(len(w)) < len(w) - FREE, 0.0, -np.inf)
        pace = 4 / (np.linalg.norm(x, 2) ** 2 + 4 * ridge)
        for _ in range(20_000):
            p = 1 / (1 + np.exp(-x @ w))
            w = np.maximum(w + pace * (x.T @ (y - p) - pull * (w - expected)), floor)
        print(by, len(y), f"{y.mean() if len(y) else 0:.2f} true")
        found[by] = w.round(2).tolist()
    return found


def logs_of(
    errands: Sequence[Errand], seeds: Iterable[int], difficulty: Difficulty | None = None
) -> list[SimulatedLog]:
    return [simulate(errands, seed=seed, difficulty=difficulty) for seed in seeds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:40")
    parser.add_argument("--fit", action="store_true")
    asked = parser.parse_args()
    first, last = map(int, asked.seeds.split(":"))
    if asked.fit:
        for by, weights in fit(logs_of(FITTED, FIT_SEEDS)).items():
            print(f'    "{by}": {tuple(weights)},')
        return
    for name, (errands, difficulty) in VARIANTS.items():
        print(f"{name:<28}", measure_logs(logs_of(errands, range(first, last), difficulty)))


if __name__ == "__main__":
    main()
