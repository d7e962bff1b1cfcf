"""Why a chunk had to go: the chunk that displaced it, by how much, and the path that kept that one alive.

Read off a finished choice; nothing here decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from services.retention.arms import RetentionArm
from services.retention.policies import Case, Choice
from services.retention.session_arrays import BoolArray, PremiseArrays, RealArray

Reason = Literal["larger than the budget", "no room left", "its premises did not fit", "its premise went"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Eviction:
    """`competitor` is the last chunk taken at a score no lower, None where nothing better was taken before it.

    `gap` is the competitor's score (that of the head it came with) minus the evicted chunk's. `path` leads from a
    root to the competitor along premises: why it was alive; the competitor alone where it was taken for itself.
    """

    chunk: int
    score: float
    reason: Reason
    competitor: int | None
    gap: float | None
    path: tuple[int, ...]


def trace_evictions(
    case: Case, choice: Choice, *, kept: BoolArray, arm: RetentionArm, limit: int | None
) -> tuple[Eviction, ...]:
    """The best-scored evicted chunks, by falling score, ties by order of ingestion."""
    if limit == 0:
        return ()
    gone = np.flatnonzero(~kept)
    gone = gone[np.argsort(-choice.scores[gone], kind="stable")][:limit]
    basket = choice.basket
    order = np.array(basket.order, dtype=np.int64)
    heads = np.array(basket.heads, dtype=np.int64)
    # Chunks were taken by falling score of their heads (pins apart), so the last one at or above is found by bisection.
    entered = (
        np.minimum.accumulate(np.where(case.chunks.pinned[heads], np.inf, choice.scores[heads]))
        if len(order)
        else np.empty(0)
    )
    paths: dict[int, tuple[int, ...]] = {}
    found = []
    for chunk in gone.tolist():
        score = float(choice.scores[chunk])
        place = int(np.searchsorted(-entered, -score, side="right")) - 1
        competitor = int(order[place]) if place >= 0 else None
        if competitor is not None and competitor not in paths:
            paths[competitor] = _path(case, choice, arm, head=int(heads[place]), to=competitor)
        found.append(
            Eviction(
                chunk=chunk,
                score=score,
                reason=_reason(case, choice, chunk),
                competitor=competitor,
                gap=None if competitor is None else float(choice.scores[heads[place]]) - score,
                path=() if competitor is None else paths[competitor],
            )
        )
    return tuple(found)


def _reason(case: Case, choice: Choice, chunk: int) -> Reason:
    basket, cost = choice.basket, int(case.chunks.tokens[chunk])
    budget = basket.left + int(case.chunks.tokens[basket.taken].sum())
    if basket.taken[chunk]:
        return "its premise went"
    if cost > budget:
        return "larger than the budget"
    return "its premises did not fit" if choice.bonds is not None and cost <= basket.left else "no room left"


def _path(case: Case, choice: Choice, arm: RetentionArm, *, head: int, to: int) -> tuple[int, ...]:
    if choice.bonds is not None:
        return shortest_path(choice.bonds.premises, head, to, within=choice.basket.taken)
    return climb(case.premises, case.cosines, to, hops=_HOPS.get(arm.policy, 0))


_HOPS = {"dsgc": 1, "dsgc_roots": 1, "multi_hop": 8, "inherit": 8, "pagerank": 8}


def climb(premises: PremiseArrays, cosines: RealArray, chunk: int, *, hops: int) -> tuple[int, ...]:
    """From the chunk up to the most similar chunk that needs it, and so on while that is more similar still."""
    path = [chunk]
    for _ in range(hops):
        needing = premises.sources[premises.targets == path[-1]]
        if not len(needing):
            break
        best = int(needing[np.argmax(cosines[needing])])
        if best in path or cosines[best] <= cosines[path[-1]]:
            break
        path.append(best)
    return tuple(reversed(path))


def shortest_path(premises: PremiseArrays, head: int, to: int, *, within: BoolArray) -> tuple[int, ...]:
    """The fewest premises that lead from the head to the chunk among those taken; both alone if there is no way."""
    before: dict[int, int] = {head: head}
    wave = [head]
    while wave and to not in before:
        following = []
        for chunk in wave:
            for target in premises.of(chunk):
                if target not in before and within[target]:
                    before[target] = chunk
                    following.append(target)
        wave = following
    if to not in before:
        return (head, to)
    path = [to]
    while path[-1] != head:
        path.append(before[path[-1]])
    return tuple(reversed(path))
