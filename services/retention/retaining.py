"""`retain`: what a session keeps for a query under a budget, what it warns of, and why the rest had to go.

Dry and pure: it changes nothing and names chunks by their place; stores archive, doors bring ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from services.retention.arms import Arm, parse_arm
from services.retention.chunks import BoolArray, RealArray, check_budget
from services.retention.policies import Case, Choice, choose
from services.retention.premises import Premises
from services.retention.sessions import Session
from services.retention.traces import Eviction, trace_evictions

Orphans = Literal["warn", "evict"]
"""What happens to a kept conclusion whose premise had to go: a warning that names both, or it goes too."""
RELIED_ON = 0.5  # a premise believed less than this is not missed


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPremise:
    """A kept chunk rests on one that is gone."""

    chunk: int
    premise: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PinWithoutRoom:
    """A pinned chunk does not fit: the budget is never exceeded, not for a pin either."""

    chunk: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """`kept` in order of selection, `reading_order` by place; `evicted` by place; `trace` of the best evicted ones."""

    kept: tuple[int, ...]
    reading_order: tuple[int, ...]
    evicted: tuple[int, ...]
    tokens: int
    budget_tokens: int
    warnings: tuple[MissingPremise | PinWithoutRoom, ...]
    trace: tuple[Eviction, ...]


def retain(
    session: Session,
    query: str,
    *,
    budget_tokens: float,
    policy: str | Arm = "default",
    orphans: Orphans = "warn",
    trace_limit: int | None = 0,
    cosines: RealArray | None = None,
) -> Retention:
    """What to keep. `trace_limit` best evicted chunks are traced (None: all); `cosines` spare the product.

    A query without a word is relevant to nothing: ties are then broken by order of ingestion, as everywhere.
    """
    budget = check_budget(budget_tokens)
    arm = parse_arm(policy) if isinstance(policy, str) else policy
    case = session.case(query, cosines=cosines)
    choice = choose(case, arm, budget_tokens=budget, cut=orphans == "warn")
    kept = choice.basket.taken.copy()
    relied = _relied_on(case, choice)
    if orphans == "evict":
        _drop_orphans(kept, relied, pinned=session.chunks.pinned)
    order = tuple(chunk for chunk in choice.basket.order if kept[chunk])
    warnings = (
        [
            MissingPremise(chunk=i, premise=j)
            for i, j in zip(relied.sources.tolist(), relied.targets.tolist(), strict=True)
            if kept[i] and not kept[j]
        ]
        if bool((kept[relied.sources] & ~kept[relied.targets]).any())
        else []
    )
    pins = np.flatnonzero(session.chunks.pinned & ~kept).tolist()
    return Retention(
        kept=order,
        reading_order=tuple(sorted(order)),
        evicted=tuple(np.flatnonzero(~kept).tolist()),
        tokens=int(session.chunks.tokens[kept].sum()),
        budget_tokens=budget,
        warnings=(
            *(PinWithoutRoom(chunk=pin, tokens=int(session.chunks.tokens[pin])) for pin in pins),
            *warnings,
        ),
        trace=trace_evictions(case, choice, kept=kept, arm=arm, limit=trace_limit),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Relied:
    sources: np.ndarray
    targets: np.ndarray


def _relied_on(case: Case, choice: Choice) -> _Relied:
    """The premises whose absence counts: those believed where beliefs were weighed, else all."""
    bonds = choice.bonds
    premises: Premises = case.premises if bonds is None else bonds.premises
    if bonds is None or bonds.beliefs is None:
        return _Relied(sources=premises.sources, targets=premises.targets)
    relied = bonds.beliefs >= RELIED_ON
    return _Relied(sources=premises.sources[relied], targets=premises.targets[relied])


def _drop_orphans(kept: BoolArray, relied: _Relied, *, pinned: BoolArray) -> None:
    """Conclusions go with their premises, and what rests on those conclusions; a pin stays and is warned of."""
    while True:
        orphans = relied.sources[kept[relied.sources] & ~kept[relied.targets] & ~pinned[relied.sources]]
        if not len(orphans):
            return
        kept[orphans] = False
