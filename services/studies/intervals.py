"""Intervals and comparisons by resampling tasks: paired where two arms answered the same ones.

Tasks are drawn within their domain, all arms with the same draws, so that a mean over domains keeps its weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS = 5_000
LEVEL = 0.95


def resampled_means(values: Floats, *, seed: Sequence[int], draws: int = DRAWS) -> Floats:
    """Of `values` (tasks x arms): draws x arms, each the arms' means over one draw of as many tasks."""
    count = len(values)
    often = np.random.default_rng(list(seed)).multinomial(count, np.full(count, 1 / count), size=draws)
    return np.asarray(often @ values / count)


def bounds(means: Floats) -> tuple[float, float]:
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def two_sided(differences: Floats) -> float:
    """How often a difference as far on the other side of nothing would be drawn; never 0, as draws are finite."""
    below, above = int((differences <= 0).sum()), int((differences >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """Each p corrected for their number by Holm's steps (1979)."""
    corrected: dict[str, float] = {}
    most = 0.0
    for rank, (name, p) in enumerate(sorted(ps.items(), key=lambda item: (item[1], item[0]))):
        most = max(most, min(1.0, (len(ps) - rank) * p))
        corrected[name] = most
    return corrected
