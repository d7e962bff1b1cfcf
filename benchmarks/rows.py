"""The rows of a benchmark: seconds beside a baseline's seconds, and how the two are measured in turn."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt
from statistics import median
from time import perf_counter

Call = Callable[[], object]

ROUNDS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure: the seconds of one request, or of the whole where a catalogue of `size` objects is imported or a
    store opened; None where it could not be measured, as `note` says.

    `recall` is there where something was to be found; `difference` (the median of paired differences, and the bounds of
    its 95 % interval, in seconds) where the baseline is a part of the thing itself.
    """

    name: str
    size: int
    seconds: float | None = None
    baseline: str
    baseline_seconds: float | None = None
    note: str = ""
    recall: float | None = None
    difference: tuple[float, float, float] | None = None

    @property
    def ratio(self) -> float | None:
        return self.seconds / self.baseline_seconds if self.seconds and self.baseline_seconds else None

    def __str__(self) -> str:
        if self.seconds is None:
            return f"{self.name:<26} {self.size:>9,}  {self.note}"
        bare = ""
        if self.ratio is not None and self.baseline_seconds is not None:
            bare = f"{self.ratio:8.2f} x {1e3 * self.baseline_seconds:.3f} ms {self.baseline}"
        return f"{self.name:<26} {self.size:>9,} {1e3 * self.seconds:>11.3f} ms {bare}  ({self.note})"

    def as_json(self) -> dict[str, object]:
        more = {"recall": self.recall, "difference": self.difference and list(self.difference)}
        return {
            "name": self.name,
            "size": self.size,
            "seconds": self.seconds,
            "baseline": self.baseline,
            "baseline_seconds": self.baseline_seconds,
            "ratio": self.ratio,
            "note": self.note,
            **{key: value for key, value in more.items() if value is not None},
        }


def timed(call: Call) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def in_turn(*makers: Callable[[int], Call], rounds: int = ROUNDS, warm: int = 3) -> list[float]:
    """Return the median seconds of each call over the rounds.

    The calls of a round run one after the other, so that all meet the same machine. A maker gets the round's number,
    to ask something new each time.
    """
    return [median(own) for own in all_in_turn(*makers, rounds=rounds, warm=warm)]


def all_in_turn(*makers: Callable[[int], Call], rounds: int, warm: int) -> list[list[float]]:
    """Return the seconds of each call in each round; every other round runs the calls in reverse order."""
    spent: list[list[float]] = [[] for _ in makers]
    gc.collect()
    for number in range(-warm, rounds):
        for maker, own in list(zip(makers, spent, strict=True))[:: -1 if number % 2 else 1]:
            seconds = timed(maker(number))
            if number >= 0:
                own.append(seconds)
    return spent


def paired_difference(one: Sequence[float], other: Sequence[float]) -> tuple[float, float, float]:
    """Return the median of `one` minus `other`, pair by pair, and the 95 % bounds of that median.

    The bounds are order statistics (the sign test turned round), so they assume nothing of how the times are spread.
    """
    differences = sorted(a - b for a, b in zip(one, other, strict=True))
    count = len(differences)
    reach = 0.98 * sqrt(count)  # 1.96 standard deviations of a fair coin's heads in `count` throws
    low, high = max(0, floor(count / 2 - reach)), min(count - 1, ceil(count / 2 + reach))
    return median(differences), differences[low], differences[high]
