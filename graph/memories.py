"""Memories: which data objects served an intent, how outcomes weigh on that, and the port that stores them.

Both stores share the arithmetic of confidence and ageing; what an outcome does to a state is the services' affair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import sqrt
from typing import Literal, Protocol

from graph.embeddings import Embeddings

MemoryState = Literal["proposed", "confirmed", "refuted"]
EvidenceKind = Literal["executed_sql", "confirmed", "annotated", "feedback", "refuted", "recalled"]
Outcome = Literal["success", "failure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeEvidence:
    """One outcome that spoke for or against a memory, and the state it left the memory in.

    `request` names the request that brought it, where its sender gave it a key: sent again, it counts once.
    """

    kind: EvidenceKind
    outcome: Outcome
    at: datetime
    state: MemoryState
    note: str = ""
    discovery: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """An intent and the data objects that served it; no trajectory.

    `id` is derived from intent and objects, `intent_id` from the intent alone. `objects` is the truth of what
    was found, sorted; `missing` are those of them that the catalogue does not hold live now, and a memory with
    any is `suspended`: it weighs nothing until they are back. `revision` is 0 for a memory that no store holds
    yet and grows by 1 with each save. `statement` is the SQL it came from, literals masked unless asked otherwise.
    `evidence` keeps the latest outcomes, oldest first; `times` counts how often it was met.
    """

    id: str
    intent_id: str
    intent: str
    objects: tuple[str, ...]
    state: MemoryState
    created_at: datetime
    last_used_at: datetime
    times: int = 1
    successes: int = 0
    failures: int = 0
    evidence: tuple[OutcomeEvidence, ...] = ()
    statement: str | None = None
    dialect: str | None = None
    revision: int = 0
    missing: tuple[str, ...] = ()

    @property
    def suspended(self) -> bool:
        return bool(self.missing)


OUTCOME_HALF_LIFE_DAYS = 180.0  # an outcome half a year older weighs half as much
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
        """The mean over the largest mean of as many outcomes: 1 without failures."""
        return (self.successes + 1) / (self.successes + self.failures + 1)


def standing_of(memory: Memory, *, at: datetime | None = None) -> Standing:
    """As of its latest outcome, or of another one that comes in `at`. Outcomes that are counted and not listed any more
    are as old as the oldest that is listed; where none is, as the latest."""
    days = [day_of(item.at) for item in memory.evidence]
    latest = max([*days, *([] if at is None else [day_of(at)])], default=day_of(memory.last_used_at))
    weights = [2 ** (-(latest - day).days / OUTCOME_HALF_LIFE_DAYS) for day in days]
    counts = []
    for outcome, total in (("success", memory.successes), ("failure", memory.failures)):
        listed = [weight for item, weight in zip(memory.evidence, weights, strict=True) if item.outcome == outcome]
        counts.append(sum(listed) + max(0, total - len(listed)) * (weights[0] if weights else 1.0))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDifference:
    """Relationships of a memory that are not what its properties say: objects that it lacks one to, and those that it
    has one to and should not. `FOUND` leads to its objects, `EXPECTED` to the first of its expectation."""

    memory: str
    relationship: Literal["FOUND", "EXPECTED"]
    lacking: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


class Memories(Protocol):
    """Memories: intent -> objects."""

    def save_memories(
        self,
        workspace: str,
        memories: Sequence[Memory],
        *,
        embeddings: Embeddings | None = None,
        instead_of: Memory | None = None,
    ) -> tuple[bool, ...]:
        """Save each memory whose `revision` is the stored one (0: none stored), with revision + 1 (optimistic locking).
        Ids in one call are distinct. The store computes `missing`; a memory that names objects that do not exist is
        suspended. Embeddings are by `intent_id`, and replace one of another model. If all were saved, `instead_of` is
        deleted.

        Returns, in order, whether each was saved. Raises `StaleRevision`, and saves nothing, if `instead_of` is not at
        its revision any more."""

    def load_memories(self, workspace: str, memories: Sequence[Memory]) -> None:
        """Upsert memories exactly as given, `revision` (1 or more) included: for copies only, as it checks no revision.
        Ids in one call are distinct. The store computes `missing`, and keeps the embeddings of intents. Memories that
        are stored already are ignored; if all are, the version stays."""

    def show_memories(self, workspace: str, ids: Sequence[str]) -> tuple[Memory, ...]:
        """Return the memories among `ids` that exist, by id."""

    def list_memories(
        self,
        workspace: str,
        *,
        state: MemoryState | None = None,
        suspended: bool | None = None,
        intent_id: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[Memory, ...]:
        """Return at most `limit` memories by id, after the id `after`."""

    def forget_memories(self, workspace: str, ids: Sequence[str], *, revision: int | None = None) -> tuple[str, ...]:
        """Delete the memories among `ids` (at `revision`, if it is given), each with its expectation, and with its
        intent if no other memory has it. Returns the deleted ids, sorted."""

    def check_memories(self, workspace: str) -> tuple[MemoryDifference, ...]:
        """Compare the relationships of each memory with its properties. Returns the differences by memory, `EXPECTED`
        before `FOUND`; there are none but where somebody changed the database by hand."""
