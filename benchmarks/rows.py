"""What a benchmark gives: rows of seconds beside a baseline's seconds, and how the two are taken in turn."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Call = Callable[[], object]

ROUNDS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure: the seconds of one request, or of the whole where a catalogue of `size` objects goes in or a store
    opens; None where it could not be had, as `note` says. `recall` is there where something was to be found."""

    name: str
    size: int
    seconds: float | None = None
    baseline: str
    baseline_seconds: float | None = None
    note: str = ""
    recall: float | None = None

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
        found = {} if self.recall is None else {"recall": self.recall}
        return {
            "name": self.name,
            "size": self.size,
            "seconds": self.seconds,
            "baseline": self.baseline,
            "baseline_seconds": self.baseline_seconds,
            "ratio": self.ratio,
            "note": self.note,
            **found,
        }


def timed(call: Call) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def in_turn(*makers: Callable[[int], Call], rounds: int = ROUNDS, warm: int = 3) -> list[float]:
    """The median seconds of each call over the rounds; the calls of a round run one after the other, so that all meet
    the same machine. A maker gets the round's number, to ask what was not asked before."""
    spent: list[list[float]] = [[] for _ in makers]
    gc.collect()
    for number in range(-warm, rounds):
        for maker, own in zip(makers, spent, strict=True):
            seconds = timed(maker(number))
            if number >= 0:
                own.append(seconds)
    return [median(own) for own in spent]
