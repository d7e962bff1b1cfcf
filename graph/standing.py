"""How a memory stands by its outcomes, of which older ones count less, and how it ages while nothing has use for it.

One arithmetic for all stores; what an outcome does to a memory's state is the services' affair.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import sqrt

from graph.values import Memory

OUTCOME_HALF_LIFE_DAYS = 180.0  # what was right half a year before speaks half as loudly on what is right now
IDLE_HALF_LIFE_DAYS = 365.0  # a yearly report finds half of the weight that it left
PROPOSED_SHARE = 0.5
WILSON_Z = 1.96  # 95 %, two-sided


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A memory's outcomes, each halved with every half-life between it and the latest."""

    successes: float
    failures: float

    @property
    def mean(self) -> float:
        """Of a Beta distribution over how often it is right, from the even prior: (s + 1) / (s + f + 2)."""
        return (self.successes + 1) / (self.successes + self.failures + 2)

    @property
    def low(self) -> float:
        """The lower end of Wilson's interval (1927) for the same: what the outcomes show at the least; 0 of none."""
        n = self.successes + self.failures
        if n == 0:
            return 0.0
        share, z = self.successes / n, WILSON_Z
        margin = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return max(0.0, (share + z * z / (2 * n) - margin) / (1 + z * z / n))

    @property
    def confidence(self) -> float:
        """The mean over the largest that as many outcomes can give: 1 while nothing speaks against it."""
        return (self.successes + 1) / (self.successes + self.failures + 1)


def standing_of(memory: Memory, *, at: datetime | None = None) -> Standing:
    """As of its latest outcome, or of another one that comes in `at`. Outcomes that are counted and not told any more
    are as old as the oldest that is told; where none is, as the latest."""
    days = [day_of(item.at) for item in memory.evidence]
    latest = max([*days, *([] if at is None else [day_of(at)])], default=day_of(memory.last_used_at))
    weights = [2 ** (-(latest - day).days / OUTCOME_HALF_LIFE_DAYS) for day in days]
    counts = []
    for outcome, total in (("success", memory.successes), ("failure", memory.failures)):
        told = [weight for item, weight in zip(memory.evidence, weights, strict=True) if item.outcome == outcome]
        counts.append(sum(told) + max(0, total - len(told)) * (weights[0] if weights else 1.0))
    return Standing(successes=counts[0], failures=counts[1])


def confidence_of(memory: Memory) -> float:
    """How far its outcomes have earned it trust, before it ages: see `MemoryEvidence`."""
    earned = standing_of(memory).confidence
    return earned * PROPOSED_SHARE if memory.state == "proposed" else earned


def day_of(at: datetime) -> date:
    """The UTC day: ages are whole days, so that two stores asked a moment apart agree."""
    return at.astimezone(UTC).date()


def day_number(day: date) -> int:
    """Days since 1970."""
    return day.toordinal() - date(1970, 1, 1).toordinal()
