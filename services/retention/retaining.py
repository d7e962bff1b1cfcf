"""`retain`: what a session keeps for a query under a budget, with warnings, and why the rest is evicted.

A pure function: it changes nothing, and names chunks by place. The session service adds ids and archives.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, Literal

import numpy as np

from services.retention.arms import RetentionArm, parse_arm
from services.retention.choosing import Choice, choose
from services.retention.explanations import Eviction, Key, trace_evictions
from services.retention.policies import Case, Flow
from services.retention.session_arrays import BoolArray, IntArray, RealArray, check_budget, expand
from services.retention.sessions import SessionArrays

Orphans = Literal["warn", "evict"]
"""What to do with a kept chunk whose premise is evicted: warn, or evict it too."""
RELIED_ON = 0.5  # a premise believed less may be missing without a warning


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPremise(Generic[Key]):
    """A kept chunk needs a premise that is evicted, or that was archived before."""

    chunk: Key
    premise: Key
    archived: bool = False

    def __str__(self) -> str:
        gone = "is archived" if self.archived else "had to go"
        return f"{self.chunk} is kept, and {self.premise}, which it rests on, {gone}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PinWithoutRoom(Generic[Key]):
    """A pinned chunk does not fit; the budget is never exceeded."""

    chunk: Key
    tokens: int

    def __str__(self) -> str:
        return f"{self.chunk} is pinned, and its {self.tokens:,} tokens do not fit into the budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class BestWithoutRoom(Generic[Key]):
    """The chunk with the highest score is evicted: it and the premises it must have take more than the budget."""

    chunk: Key
    premise: Key
    tokens: int

    def __str__(self) -> str:
        needs = f"with {self.premise}, which it rests on, it takes {self.tokens:,} tokens"
        return f"{self.chunk} is best and had to go: {needs}"


Warned = MissingPremise[Key] | PinWithoutRoom[Key] | BestWithoutRoom[Key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """`kept` of `chunks`, in order of selection; `leaders`: the chunk that each was taken for, itself or one that needs
    it; `trace` of the best evicted ones."""

    kept: tuple[int, ...]
    leaders: tuple[int, ...]
    chunks: int
    tokens: int
    budget_tokens: int
    warnings: tuple[Warned[int], ...]
    trace: tuple[Eviction[int], ...]

    @property
    def reading_order(self) -> tuple[int, ...]:
        return tuple(sorted(self.kept))

    @property
    def evicted(self) -> tuple[int, ...]:
        """The evicted chunks by place, computed on demand: it is as long as the session."""
        gone = np.ones(self.chunks, dtype=np.bool_)
        gone[list(self.kept)] = False
        return tuple(np.flatnonzero(gone).tolist())


def retain(
    session: SessionArrays,
    query: str,
    *,
    budget_tokens: float,
    policy: str | RetentionArm = "default",
    orphans: Orphans = "warn",
    trace_limit: int | None = 0,
    cosines: RealArray | None = None,
    live: Callable[[Flow], RealArray] | None = None,
) -> Retention:
    """Return what to keep. The `trace_limit` best evicted chunks are explained (None: all). `cosines`, if given, are
    those of the index; `live` computes the scores of published policies elsewhere than over arrays.

    A query without a word is relevant to nothing: all chunks tie, and the earlier ones are kept.
    """
    budget = check_budget(budget_tokens)
    arm = parse_arm(policy) if isinstance(policy, str) else policy
    case = replace(session.case(query, arm, cosines=cosines), live=live)
    choice = choose(case, arm, budget_tokens=budget, cut=orphans == "warn")
    kept = choice.basket.taken.copy()
    if orphans == "evict":
        _drop_orphans(kept, case, choice)
    taken = [(i, leader) for i, leader in zip(choice.basket.order, choice.basket.leaders, strict=True) if kept[i]]
    orphaned, missing = _missing(kept, case, choice)
    pins = np.flatnonzero(session.chunks.pinned & ~kept).tolist()
    return Retention(
        kept=tuple(chunk for chunk, _ in taken),
        leaders=tuple(leader for _, leader in taken),
        chunks=len(kept),
        tokens=int(session.chunks.tokens[kept].sum()),
        budget_tokens=budget,
        warnings=(
            *(PinWithoutRoom(chunk=pin, tokens=int(session.chunks.tokens[pin])) for pin in pins),
            *_best_without_room(kept, case, choice, budget=budget),
            *(MissingPremise(chunk=i, premise=j) for i, j in zip(orphaned.tolist(), missing.tolist(), strict=True)),
        ),
        trace=trace_evictions(case, choice, kept=kept, arm=arm, limit=trace_limit),
    )


def _missing(kept: BoolArray, case: Case, choice: Choice) -> tuple[IntArray, IntArray]:
    """Kept chunks and the premises that they lack, believed ones only where there are beliefs."""
    dependencies = choice.dependencies
    premises = case.premises if dependencies is None else dependencies.premises
    edges = expand(premises.starts, np.flatnonzero(kept))
    if dependencies is not None and dependencies.beliefs is not None:
        edges = edges[dependencies.beliefs[edges] >= RELIED_ON]
    edges = edges[~kept[premises.targets[edges]]]
    return premises.sources[edges], premises.targets[edges]


def _best_without_room(kept: BoolArray, case: Case, choice: Choice, *, budget: int) -> Iterator[BestWithoutRoom[int]]:
    """Yield a warning if the chunk with the highest score fits alone, and not with the premises that it must have."""
    dependencies, tokens = choice.dependencies, case.chunks.tokens
    if dependencies is None or not len(choice.scores):
        return
    best = int(np.argmax(choice.scores))
    if kept[best] or tokens[best] > budget:
        return
    strong, starts, targets = dependencies.strong(), dependencies.premises.starts, dependencies.premises.targets
    group, waiting = {best}, [best]
    while waiting:
        chunk = waiting.pop()
        needed = targets[starts[chunk] : starts[chunk + 1]][strong[starts[chunk] : starts[chunk + 1]]].tolist()
        waiting += set(needed) - group
        group |= set(needed)
    cost = int(tokens[sorted(group)].sum())
    direct = [it for it in targets[starts[best] : starts[best + 1]].tolist() if it in group - {best}]
    if cost > budget and direct:
        yield BestWithoutRoom(chunk=best, premise=max(direct, key=lambda it: int(tokens[it])), tokens=cost)


def _drop_orphans(kept: BoolArray, case: Case, choice: Choice) -> None:
    """Evict chunks that lack a premise, and in turn those that need them; a pinned chunk stays, with a warning."""
    while True:
        orphans, _ = _missing(kept, case, choice)
        orphans = orphans[~case.chunks.pinned[orphans]]
        if not len(orphans):
            return
        kept[orphans] = False
        if case.units is not None:
            kept &= case.units.whole(kept)
