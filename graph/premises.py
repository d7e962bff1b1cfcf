"""Premises cleaned and joined: arithmetic that both back ends share, so that order and repetition change nothing.

Which chunks there are is for a back end to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graph.values import PREMISE_GRADES, Premise

Pair = tuple[str, str]


def joined(old: Premise | None, new: Premise) -> Premise:
    """The most trusted grade and the largest weight of both; the belief is the newest that was given, with reasons."""
    if old is None:
        return new if new.belief is not None else replace(new, reasons=())
    belief = new if new.belief is not None else old
    return replace(
        new,
        grade=min(old.grade, new.grade, key=PREMISE_GRADES.index),
        weight=max(old.weight, new.weight),
        belief=belief.belief,
        reasons=belief.reasons,
    )


def cleaned(premises: Iterable[Premise]) -> dict[Pair, Premise]:
    """Each pair once, sorted, self-loops left out."""
    by_pair: dict[Pair, Premise] = {}
    for it in premises:
        if it.chunk != it.premise:
            by_pair[it.chunk, it.premise] = joined(by_pair.get((it.chunk, it.premise)), it)
    return dict(sorted(by_pair.items()))


def ends(premises: Iterable[Premise]) -> list[str]:
    """All chunks that are named, self-loops among them, sorted."""
    return sorted({end for it in premises for end in (it.chunk, it.premise)})
