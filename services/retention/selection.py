"""Which chunks are taken, in order of score: one by one, or each with the premises it rests on.

A chunk is whole or gone, and the budget is never exceeded. Scores and beliefs come from elsewhere.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from services.retention.chunks import BoolArray, Chunks, IntArray, RealArray
from services.retention.premises import Premises
from services.retention.ranking import Ranking

Greedy = Literal["skip", "stop"]
"""What happens at the first chunk that does not fit: go on with smaller ones, or end there."""


@dataclass(slots=True, kw_only=True)
class Basket:
    """What is taken so far: chunks in order of selection, for whom each was taken, and the tokens that are left."""

    chunks: Chunks
    left: int
    taken: BoolArray
    order: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)

    def add(self, group: list[int], *, head: int) -> None:
        for chunk in group:
            self.taken[chunk] = True
            self.left -= int(self.chunks.tokens[chunk])
            self.order.append(chunk)
            self.heads.append(head)


def new_basket(chunks: Chunks, *, budget_tokens: int) -> Basket:
    return Basket(chunks=chunks, left=budget_tokens, taken=np.zeros(len(chunks), dtype=np.bool_))


def fill(basket: Basket, scores: RealArray, *, greedy: Greedy = "skip") -> None:
    """Take chunks one by one by falling score. What did not fit once never fits later: the room only shrinks."""
    tokens = basket.chunks.tokens
    ranking = Ranking(scores)
    if basket.order:
        ranking.close(~basket.taken)
    for block in ranking.blocks():
        for chunk, cost in zip(block.tolist(), tokens[block].tolist(), strict=True):
            if cost <= basket.left:
                basket.add([chunk], head=chunk)
            elif greedy == "stop":
                return
        if basket.left < 1:
            return
        ranking.close(tokens <= basket.left)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bonds:
    """Premises with how far each is believed, and when a bond may be cut or is not worth following."""

    premises: Premises
    beliefs: RealArray | None = None  # None: each is believed
    ignore_below: float = 0.0
    cut_below: float = 0.0

    def strong(self) -> BoolArray:
        """Per edge: it must not be cut."""
        if self.beliefs is None:
            return np.ones(len(self.premises), dtype=np.bool_)
        return self.beliefs >= max(self.cut_below, self.ignore_below)


def fill_groups(basket: Basket, scores: RealArray, bonds: Bonds) -> None:
    """Take chunks by falling score, each with all it rests on as far as the bonds hold; else skip it for good."""
    least = least_costs(basket, bonds)
    ranking = Ranking(scores)
    ranking.close((least <= basket.left) & ~basket.taken)
    for block in ranking.blocks():
        failures = 0
        for head in block.tolist():
            if basket.taken[head] or least[head] > basket.left:
                continue
            group = grow(head, basket, bonds)
            if group:
                basket.add(group, head=head)
            else:
                failures += 1
                if failures % 64 == 0:  # the room is nearly used up: rule out at once what cannot fit
                    least = least_costs(basket, bonds)
        if basket.left < 1:
            return
        least = least_costs(basket, bonds)
        ranking.close((least <= basket.left) & ~basket.taken)


def least_costs(basket: Basket, bonds: Bonds) -> IntArray:
    """At least so many tokens each chunk would take: its own and those of its nearest premises that must come along."""
    premises = bonds.premises
    open_tokens = np.where(basket.taken, 0, basket.chunks.tokens)
    owed = open_tokens[premises.targets] * bonds.strong()
    return open_tokens + np.bincount(premises.sources, weights=owed, minlength=premises.count).astype(np.int64)


def grow(head: int, basket: Basket, bonds: Bonds) -> list[int]:
    """The head and the premises to take with it, by falling belief on the way, ties by order of ingestion.

    Empty where even the part that must not be cut does not fit. A chunk is believed to be needed as far as the
    weakest bond on the best way to it; where the group does not fit, the least believed go first, equals together.
    """
    premises, tokens, taken = bonds.premises, basket.chunks.tokens, basket.taken
    beliefs, room = bonds.beliefs, basket.left
    waiting = [(-1.0, head)]
    seen: set[int] = set()
    group: list[int] = []
    kept, level = 0, 1.0  # how many of the group stand above the present level of belief
    while waiting:
        negative, chunk = heapq.heappop(waiting)
        if chunk in seen:
            continue
        if -negative < level:
            kept, level = len(group), -negative
        seen.add(chunk)
        if taken[chunk]:
            continue  # what it rests on came, or was cut, with it
        room -= int(tokens[chunk])
        if room < 0:
            return group[:kept] if level < bonds.cut_below else []
        group.append(chunk)
        start, end = int(premises.starts[chunk]), int(premises.starts[chunk + 1])
        if beliefs is None:
            for target in premises.targets[start:end].tolist():
                if target not in seen:
                    heapq.heappush(waiting, (-1.0, target))
            continue
        for target, belief in zip(premises.targets[start:end].tolist(), beliefs[start:end].tolist(), strict=True):
            if belief >= bonds.ignore_below and target not in seen:
                heapq.heappush(waiting, (max(negative, -belief), target))
    return group
