"""Recorded discoveries and the trust that their outcomes earn, with the port that keeps both.

How much trust an outcome is worth is computed in `services.feedback`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a rule that is to be judged by outcomes would have put first for a question, had it been trusted fully;
    `without` the memory of this id, where that is what is to be judged."""

    rule: str
    results: tuple[str, ...]
    without: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """The record of one answer, so that a later outcome can refer to it: `results` are object ids, best first.

    `trials` are what the outcome judges: the registry alone, then rules, then the rule without one of the memories that
    contributed most; none where the rule earns no trust. `judged`: an outcome has been applied.
    """

    id: str
    intent: str
    retriever: str
    rule: str
    results: tuple[str, ...]
    at: datetime
    trials: tuple[Trial, ...] = ()
    judged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What a rule has earned in a workspace: `lead` sums, over `outcomes`, how much better it was than no memory."""

    rule: str
    lead: float
    outcomes: int


class FeedbackStore(Protocol):
    """Recorded discoveries and the trust earned by their outcomes."""

    def record_discovery(self, workspace: str, discovery: Discovery, *, keep: int, keep_since: datetime) -> None:
        """Keeps the record, and of all records the latest `keep` at most, none older than `keep_since`. Does not move
        the workspace's version."""
        ...

    def show_discoveries(self, workspace: str, ids: Sequence[str]) -> tuple[Discovery, ...]:
        """The records of those of `ids` that are there, by id."""
        ...

    def earn_trust(self, workspace: str, discovery: str, gains: Mapping[str, float], *, bound: float) -> bool:
        """Adds each rule's gain to its lead (which stays within -bound and bound) and counts one outcome, once for each
        discovery: whether it was counted now, and not before or never recorded. Does not move the workspace's
        version."""
        ...

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        """What each rule has earned, by rule."""
        ...

    def load_trust(self, workspace: str, trust: Sequence[Trust]) -> None:
        """Stores what rules earned as it is given, whatever is there under their names: for copies. What is not given
        stays. Does not move the workspace's version."""
        ...

    def reset_trust(self, workspace: str) -> int:
        """Forgets what all rules earned; of how many rules there was something."""
        ...
