"""Bootstrap intervals and comparisons over tasks, paired where two arms answered the same ones.

Tasks are drawn within their domain, all arms with the same draws, so that a mean over domains keeps its weights.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS = 5_000
LEVEL = 0.95
ALPHA = 0.05
"""Below this p, corrected, a difference is called one."""
EPSILON = 1e-12  # two sums of the same measures may differ in the last bits


def resampled_means(values: Floats, *, seed: Sequence[int], draws: int = DRAWS) -> Floats:
    """Draw as many tasks as there are, with replacement. From `values` (tasks x arms): draws x arms, of means."""
    count = len(values)
    often = np.random.default_rng(list(seed)).multinomial(count, np.full(count, 1 / count), size=draws)
    return np.asarray(often @ values / count)


def bounds(means: Floats) -> tuple[float, float]:
    """Return the percentile interval of LEVEL."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def two_sided(differences: Floats) -> float:
    """Return the bootstrap p of no difference, two-sided; never 0, as draws are finite."""
    below, above = int((differences <= 0).sum()), int((differences >= 0).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


def compare(gains: Sequence[Floats], drawn: Floats) -> dict[str, Any]:
    """Compare two arms: `gains` by domain are their paired differences by task, `drawn` resampled means of these."""
    low, high = bounds(drawn)
    return {
        "difference": float(np.mean([gain.mean() for gain in gains])),
        "low": low,
        "high": high,
        "p": two_sided(drawn),
        "wins": int(sum((gain > EPSILON).sum() for gain in gains)),
        "losses": int(sum((gain < -EPSILON).sum() for gain in gains)),
        "ties": int(sum((abs(gain) <= EPSILON).sum() for gain in gains)),
    }


def with_holm(comparisons: Sequence[Mapping[str, Any]], *, names: Sequence[str]) -> list[dict[str, Any]]:
    """Add `p_holm` to each comparison: its p corrected for their number. `names` are the keys that identify one."""
    keys = ["/".join(it[name] for name in names) for it in comparisons]
    corrected = holm({key: it["p"] for key, it in zip(keys, comparisons, strict=True)})
    return [{**it, "p_holm": corrected[key]} for key, it in zip(keys, comparisons, strict=True)]


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """Correct each p for their number by Holm's steps (1979)."""
    corrected: dict[str, float] = {}
    most = 0.0
    for rank, (name, p) in enumerate(sorted(ps.items(), key=lambda item: (item[1], item[0]))):
        most = max(most, min(1.0, (len(ps) - rank) * p))
        corrected[name] = most
    return corrected
