"""Premises: which chunk needs which, and the port that stores them.

The arithmetic of merging premises is shared by both stores.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

from graph.sessions import Session

PremiseGrade = Literal["declared", "observed", "inferred"]
PREMISE_GRADES: tuple[PremiseGrade, ...] = get_args(PremiseGrade)  # the earlier, the more trusted
Spread = Literal["sum", "reach", "closure"]
HOP_LIMIT = 8  # premises that a live set is followed over, at most


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """A chunk within reach of a root, with its liveness. `path` is a shortest path of chunk ids from a root to it, of
    several the one with the least positions, root first."""

    chunk: str
    position: int
    liveness: float
    path: tuple[str, ...]

    @property
    def hops(self) -> int:
        return len(self.path) - 1


def most_live_first(found: Iterable[Live]) -> tuple[Live, ...]:
    """Order by falling liveness, ties by position."""
    return tuple(sorted(found, key=lambda it: (-it.liveness, it.position)))


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

    def load_premises(self, workspace: str, session: str, premises: Sequence[Premise]) -> tuple[int, int]:
        """Stores premises as they are given, whatever is there between the same chunks: for copies. Self-loops are
        passed over. How many were not there, and how many were other. Raises `UnknownChunks` as `add_premises` does."""

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        """The premises of these chunks, sorted by chunk, then premise."""

    def save_beliefs(self, workspace: str, session: str, premises: Sequence[Premise]) -> int:
        """Notes `belief` and `reasons` on those that are (still) there; how many. Does not move the version."""

    def live_set(
        self,
        workspace: str,
        session: str,
        *,
        relevance: Mapping[str, float],
        roots: Sequence[str] | None,
        spread: Spread,
        factors: Sequence[float] = (),
        weight: float = 1.0,
        depth: int = HOP_LIMIT,
    ) -> tuple[Live, ...]:
        """The live chunks within `depth` hops of a root along premises, roots included, most live first, ties by
        position. `relevance` is by chunk id, 0 for a chunk that is not named. `roots` None: every live chunk is one;
        ids of chunks that are not live are ignored.

        Liveness of a chunk is its relevance plus `weight` times its gain, by `spread`:
        `sum`: sum over k of factors[k - 1] ((A^T)^k relevance), where A has a row for each dependent: all walks count,
        those around cycles too. `reach`: 1 where a walk of 1 to len(factors) hops leads here from a root, else 0.
        `closure`: the largest relevance among the other chunks that this one needs, directly or not, at least 0.
        Sums are made in order of position, so that stores agree to the last bit.

        Raises `UnknownSession`.
        """
