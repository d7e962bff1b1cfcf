"""The probability that one step depends on another, by logistic regression over what they share.

The weights were fitted on simulated logs; `python -m benchmarks.premise_quality --fit` fits them again. Links that
are certain are made in `linking`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp, log1p
from types import MappingProxyType
from typing import Literal

from services.transcripts.identifiers import Value, same_key

User = Literal["call", "said", "user"]
"""Where a value is used: in a call, in a message of the agent, in a message of the user."""

SHARED = (
    "strong", "keyed", "weak", "long number", "short number", "rarest word", "rare word", "cut within", "cut", "phrase",
)  # fmt: skip
FEATURES = (
    *SHARED, "any of these, better given elsewhere", "since the user spoke", "the last result", "the user spoke last",
    "a result", "always", "a call",
)  # fmt: skip
FREE = 2  # the last features, whose weights may be negative; those of shared values may not


@dataclass(slots=True, kw_only=True)
class LinkFeatures:
    """What a step shares with an earlier one: counts of values that came from it (`shared`), and of those that it only
    mentions too (`second`).

    `here`: it is since the user's last message; `latest`: it is the last result; `asked`: it is the last message.
    """

    by: User
    kind: str
    here: bool
    latest: bool
    asked: bool
    shared: dict[str, int] = field(default_factory=dict)
    second: int = 0

    def add(self, value: Value, *, key: str, kind: str, frequency: int, best: bool) -> None:
        if not best:
            self.second += 1
            return
        sort = kind if kind.startswith("cut") else _sort(value, key=key, frequency=frequency)
        self.shared[sort] = self.shared.get(sort, 0) + 1

    def quote(self, phrase: str) -> None:
        """Count a whole phrase of the other step that this one repeats, by its number of words."""
        self.shared["phrase"] = self.shared.get("phrase", 0) + len(phrase.split())

    def features(self) -> tuple[float, ...]:
        return (
            *(log1p(self.shared.get(sort, 0)) for sort in SHARED),
            log1p(self.second),
            float(self.here),
            float(self.latest),
            float(self.asked),
            float(self.kind == "result"),
            1.0,
            float(self.kind == "call"),
        )


def _sort(value: Value, *, key: str, frequency: int) -> str:
    if value.sort == "strong":
        return "strong"
    if value.sort == "word":
        return "rarest word" if frequency <= 1 else "rare word"
    digits = sum(character.isdigit() for character in value.text)
    if digits >= 4 and same_key(value.key, key):
        return "keyed"
    if value.sort == "weak":
        return "weak"
    return "long number" if digits >= 4 else "short number"


WEIGHTS: Mapping[User, tuple[float, ...]] = MappingProxyType({
    "call": (9.56, 7.29, 10.48, 2.84, 4.28, 0.0, 2.45, 4.32, 1.79, 6.62, 3.0, 0.0, 3.81, 2.27, 0.0, -5.03, -9.12),
    "said": (6.35, 4.74, 7.02, 8.28, 2.05, 2.9, 2.18, 3.0, 0.0, 4.0, 0.0, 1.69, 2.62, 0.83, 5.93, -9.68, -6.67),
    "user": (7.0, 4.23, 4.0, 4.63, 0.31, 0.0, 1.22, 3.0, 1.0, 4.0, 0.0, 5.46, 1.0, 0.36, 1.0, -6.09, -1.0),
})  # fmt: skip


def likelihood(evidence: LinkFeatures) -> float:
    """Return the probability of the link."""
    odds = sum(w * f for w, f in zip(WEIGHTS[evidence.by], evidence.features(), strict=True))
    return 1 / (1 + exp(-max(min(odds, 50.0), -50.0)))
