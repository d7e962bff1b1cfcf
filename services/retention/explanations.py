"""Why a chunk was evicted: the chunk that displaced it, by how much, and the path that kept that one alive.

Worked out from a finished choice; nothing here decides.
"""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np

from services.retention.arms import RetentionArm
from services.retention.choosing import Choice
from services.retention.policies import Case
from services.retention.session_arrays import BoolArray, PremiseArrays, RealArray

Key = TypeVar("Key", int, str)
"""How an answer names a chunk: by place in the core, by id at the doors."""
Reason = Literal["larger than the budget", "no room left", "its premises did not fit", "its premise went"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Eviction(Generic[Key]):
    """`competitor`: the last chunk taken at a score no lower, None if there is none.

    `gap`: the score of the competitor's leader minus that of the evicted chunk. `path`: premises that lead from a root
    to the competitor and kept it alive; the competitor alone if it was taken for itself.
    """

    chunk: Key
    score: float
    reason: Reason
    competitor: Key | None
    gap: float | None
    path: tuple[Key, ...]


def trace_evictions(
    case: Case, choice: Choice, *, kept: BoolArray, arm: RetentionArm, limit: int | None
) -> tuple[Eviction[int], ...]:
    """Return the `limit` best evicted chunks (None: all) by falling score, ties by order of ingestion."""
    if limit == 0:
        return ()
    gone = np.flatnonzero(~kept)
    gone = gone[np.argsort(-choice.scores[gone], kind="stable")][:limit]
    basket = choice.basket
    leaders = np.array(basket.leaders, dtype=np.int64)
    # Chunks were taken by falling score of their leaders (pins apart): bisection finds the last one at or above.
    entered = (
        np.minimum.accumulate(np.where(case.chunks.pinned[leaders], np.inf, choice.scores[leaders]))
        if len(leaders)
        else np.empty(0)
    )
    paths: dict[int, tuple[int, ...]] = {}
    found = []
    for chunk in gone.tolist():
        score = float(choice.scores[chunk])
        place = int(np.searchsorted(-entered, -score, side="right")) - 1
        competitor = basket.order[place] if place >= 0 else None
        if competitor is not None and competitor not in paths:
            paths[competitor] = _path(case, choice, arm, leader=int(leaders[place]), to=competitor)
        found.append(
            Eviction(
                chunk=chunk,
                score=score,
                reason=_reason(case, choice, chunk),
                competitor=competitor,
                gap=None if competitor is None else float(choice.scores[leaders[place]]) - score,
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
    return "its premises did not fit" if basket.refused is not None and basket.refused[chunk] else "no room left"


def _path(case: Case, choice: Choice, arm: RetentionArm, *, leader: int, to: int) -> tuple[int, ...]:
    if choice.dependencies is not None:
        return shortest_path(choice.dependencies.premises, leader, to, within=choice.basket.taken)
    return climb(case.premises, case.cosines, to, hops=arm.hops)


def climb(premises: PremiseArrays, cosines: RealArray, chunk: int, *, hops: int) -> tuple[int, ...]:
    """Return the path that climbs from the chunk to its most similar dependent, and on while similarity grows."""
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


def shortest_path(premises: PremiseArrays, leader: int, to: int, *, within: BoolArray) -> tuple[int, ...]:
    """Return a shortest path of premises from the leader to the chunk, among chunks `within` (breadth-first search);
    both ends alone if there is none."""
    before: dict[int, int] = {leader: leader}
    wave = [leader]
    while wave and to not in before:
        following = []
        for chunk in wave:
            for target in premises.of(chunk):
                if target not in before and within[target]:
                    before[target] = chunk
                    following.append(target)
        wave = following
    if to not in before:
        return (leader, to)
    path = [to]
    while path[-1] != leader:
        path.append(before[path[-1]])
    return tuple(reversed(path))
