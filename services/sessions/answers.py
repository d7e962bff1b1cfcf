"""Answers of the session service, by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.retention.explanations import Reason
from services.retention.retaining import MissingPremise, Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A kept chunk needs a premise that was evicted, or that is archived."""

    chunk: str
    premise: str
    archived: bool = False

    def __str__(self) -> str:
        gone = "is archived" if self.archived else "had to go"
        return f"{self.chunk} is kept, and {self.premise}, which it rests on, {gone}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfitting:
    """A pinned chunk that does not fit into the budget."""

    chunk: str
    tokens: int

    def __str__(self) -> str:
        return f"{self.chunk} is pinned, and its {self.tokens:,} tokens do not fit into the budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evicted:
    """Why a chunk was evicted; see `services.retention.explanations.Eviction`."""

    chunk: str
    score: float
    reason: Reason
    competitor: str | None
    gap: float | None
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The ids that an answer archived, and whether it left tombstones."""

    archived: tuple[str, ...]
    tombstones: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """`kept` in order of selection. `degraded` names, in words, what could not be used."""

    kept: tuple[str, ...]
    reading_order: tuple[str, ...]
    evicted: tuple[str, ...]
    tokens: int
    budget_tokens: int
    warnings: tuple[Lacking | Unfitting, ...]
    trace: tuple[Evicted, ...]
    policy: str
    encoder: str
    degraded: tuple[str, ...] = ()
    applied: Applied | None = None


def named(
    found: Retention,
    ids: Sequence[str],
    *,
    lost: Sequence[tuple[str, str]],
    policy: str,
    encoder: str,
    degraded: tuple[str, ...] = (),
) -> Retained:
    kept = tuple(ids[place] for place in found.kept)
    there = set(kept)
    return Retained(
        kept=kept,
        reading_order=tuple(ids[place] for place in found.reading_order),
        evicted=tuple(ids[place] for place in found.evicted),
        tokens=found.tokens,
        budget_tokens=found.budget_tokens,
        warnings=(
            *(
                Lacking(chunk=ids[it.chunk], premise=ids[it.premise])
                if isinstance(it, MissingPremise)
                else Unfitting(chunk=ids[it.chunk], tokens=it.tokens)
                for it in found.warnings
            ),
            *(Lacking(chunk=chunk, premise=premise, archived=True) for chunk, premise in lost if chunk in there),
        ),
        trace=tuple(
            Evicted(
                chunk=ids[it.chunk],
                score=it.score,
                reason=it.reason,
                competitor=None if it.competitor is None else ids[it.competitor],
                gap=it.gap,
                path=tuple(ids[place] for place in it.path),
            )
            for it in found.trace
        ),
        policy=policy,
        encoder=encoder,
        degraded=degraded,
    )
