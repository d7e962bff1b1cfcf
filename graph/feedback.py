"""Recorded discoveries and the trust that their outcomes earn, with the port that keeps both.

How much trust an outcome is worth is computed in `services.feedback`.
"""

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
    """The trust of a rule in a workspace: `lead` sums, over `outcomes`, how much better it was than no memory."""

    rule: str
    lead: float
    outcomes: int


class FeedbackStore(Protocol):
    """Recorded discoveries and the trust earned by their outcomes."""

    def record_discovery(self, workspace: str, discovery: Discovery, *, keep: int, keep_since: datetime) -> None:
        """Store the record, and drop all records but the latest `keep`, and those older than `keep_since`. Does not
        move the workspace's version."""

    def show_discoveries(self, workspace: str, ids: Sequence[str]) -> tuple[Discovery, ...]:
        """Return the records among `ids` that exist, by id."""

    def earn_trust(self, workspace: str, discovery: str, gains: Mapping[str, float], *, bound: float) -> bool:
        """Add each rule's gain to its lead (kept within -bound and bound) and count one outcome, at most once for each
        discovery. Does not move the workspace's version.

        Returns whether this call counted it; False if it was counted before or the discovery is not recorded."""

    def list_trust(self, workspace: str) -> tuple[Trust, ...]:
        """Return the trust of each rule, by rule."""

    def load_trust(self, workspace: str, trust: Sequence[Trust]) -> None:
        """Upsert the trust of rules exactly as given: for copies. Does not move the workspace's version."""

    def reset_trust(self, workspace: str) -> int:
        """Reset the trust of all rules. Returns how many had any."""
