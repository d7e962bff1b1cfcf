"""Premises: which chunk needs which, and the port that stores them.

The arithmetic of merging premises is shared by both stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

from graph.embeddings import Array
from graph.sessions import Session

PremiseGrade = Literal["declared", "observed", "inferred"]
PREMISE_GRADES: tuple[PremiseGrade, ...] = get_args(PremiseGrade)  # the earlier, the more trusted
HOP_LIMIT = 8  # how many premises far liveness is damped, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """`chunk` needs `premise`, both by id. `weight`, within 0 and 1, comes with the premise; `belief`, within 0 and 1
    and not set off against others, is what was made of it since, for `reasons` in words."""

    chunk: str
    premise: str
    grade: PremiseGrade = "declared"
    weight: float = 1.0
    belief: float | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PremisesAdded:
    """How many premises were new, are trusted more than before, or were there; self-loops are none of these."""

    session: Session
    added: int = 0
    updated: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ByPosition:
    """A value for each of some chunks: `positions` ascending, `values` in the same order."""

    positions: Array
    values: Array


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


class Premises(Protocol):
    """What chunks rest on."""

    def add_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> PremisesAdded:
        """Adds premises between chunks of the session, archived ones too. Self-loops are passed over; of duplicates,
        also of one that is there, the most trusted grade and the largest weight stay. A belief that is given is
        stored. Raises `UnknownChunks`, and adds nothing, where an end is not there."""
        ...

    def load_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> tuple[int, int]:
        """Stores premises as they are given, whatever is there between the same chunks: for copies. Self-loops are
        passed over. How many were not there, and how many were other. Raises `UnknownChunks` as `add_premises` does."""
        ...

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        """The premises of these chunks, sorted by chunk, then premise."""
        ...

    def save_beliefs(self, workspace: str, session: str, premises: Sequence[Premise]) -> int:
        """Notes `belief` and `reasons` on those that are (still) there; how many. Does not move the version."""
        ...


class Liveness(Protocol):
    """How liveness runs along the premises among live chunks, worked out where they are stored. Relevance comes as
    values by position (positions that are not named have 0), and answers are by position, those that are 0 left out.
    Sums are made in order of ingestion, so that both stores give the same to the last bit."""

    def one_hop(self, workspace: str, session: str, relevance: ByPosition) -> ByPosition:
        """What each chunk gets from those that need it: the sum of its dependents' relevance."""
        ...

    def damped_hops(
        self, workspace: str, session: str, relevance: ByPosition, *, factors: Sequence[float]
    ) -> ByPosition:
        """sum over k of factors[k - 1] (A^T)^k r, for at most HOP_LIMIT factors; A has a row for each dependent."""
        ...

    def closure_gains(self, workspace: str, session: str, gains: ByPosition) -> ByPosition:
        """The largest gain among the others that a chunk rests on, over premises of any number; negatives count as 0.
        Safe on cycles: a chunk is none of its own premises."""
        ...
