"""The answer of a discovery: ranked hits with their parts, and how they are ranked.

The scores come from the rules; nothing here reads a store.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from graph.catalogue import ObjectKind, Reference
from graph.feedback import Trial
from services.catalogue_index import CatalogueIndex
from services.discovery.candidates import Candidates, Floats
from services.discovery.rules import Attribution, Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """One memory's share of a hit's memory part; negative where its intent did not need an object that was expected."""

    id: str
    intent: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An object found: `score` = `registry` + `memory`, and `memory` is the sum of the shares of `memories`."""

    id: str
    kind: ObjectKind
    table: str | None
    name: str
    description: str
    score: float
    registry: float
    memory: float
    memories: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinStep:
    """A join of two tables: all references between them, and the hits (ids) that need it."""

    start: str
    end: str
    references: tuple[Reference, ...]
    serves: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinTree:
    """How the tables of the hits join: steps outwards from the best table, each after the step that it continues.

    `added` are tables on the way without a hit; `unconnected` the hits that no path reaches.
    """

    root: str
    steps: tuple[JoinStep, ...]
    added: tuple[str, ...]
    unconnected: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The hits, best first; `degraded` says in words what could not be used. `join` is None unless it was asked for
    and there are hits. `trials`: see `graph.feedback.Discovery`."""

    discovery: str
    intent: str
    results: tuple[Hit, ...]
    retriever: str
    rule: str
    degraded: tuple[str, ...] = ()
    join: JoinTree | None = None
    trials: tuple[Trial, ...] = ()


DECIMALS = 9


def rank(
    catalogue: CatalogueIndex,
    candidates: Candidates,
    attribution: Attribution,
    recall: Recall,
    *,
    intent: str,
    limit: int,
    kinds: Collection[ObjectKind] | None,
) -> tuple[Hit, ...]:
    """Rank by score rounded to 9 decimals, then objects whose name is the intent itself, then id. Returns at most
    `limit` hits; a score of 0 or less is no hit."""
    keyed = _first(catalogue, candidates, attribution.score, intent=intent, limit=limit, kinds=kinds)
    return tuple(_hit(catalogue, attribution, recall, item=item, row=row) for item, row in keyed)


def first_ids(
    catalogue: CatalogueIndex, candidates: Candidates, scores: Floats, *, intent: str, limit: int
) -> tuple[str, ...]:
    """The ids that `rank` puts first for these scores."""
    return tuple(item for item, _ in _first(catalogue, candidates, scores, intent=intent, limit=limit, kinds=None))


def _first(
    catalogue: CatalogueIndex,
    candidates: Candidates,
    scores: Floats,
    *,
    intent: str,
    limit: int,
    kinds: Collection[ObjectKind] | None,
) -> list[tuple[str, int]]:
    itself = catalogue.named(intent)
    wanted = np.flatnonzero(scores > 0)
    if kinds is not None:
        wanted = wanted[[catalogue.objects[candidates.ids[row]].kind in kinds for row in wanted]]
    if len(wanted) > limit:  # the others are below by more than rounding can change
        least = np.partition(scores[wanted], len(wanted) - limit)[len(wanted) - limit]
        wanted = wanted[scores[wanted] >= least - 10.0**-DECIMALS]
    keyed = []
    for row, score in zip(wanted.tolist(), scores[wanted].tolist(), strict=True):
        rounded, item = round(score, DECIMALS), candidates.ids[row]
        if rounded > 0:
            keyed.append((-rounded, item not in itself, item, row))
    return [(item, row) for _, _, item, row in sorted(keyed)[:limit]]


def _hit(catalogue: CatalogueIndex, attribution: Attribution, recall: Recall, *, item: str, row: int) -> Hit:
    found = catalogue.objects[item]
    contributions = [
        Contribution(id=memory.id, intent=memory.intent, share=share)
        for memory, share in zip(recall.memories, attribution.contributions[:, row].tolist(), strict=True)
        if share != 0
    ]
    memory = float(sum(each.share for each in contributions))
    base = float(attribution.registry[row])
    return Hit(
        id=item,
        kind=found.kind,
        table=found.table,
        name=found.name,
        description=found.description,
        score=base + memory,
        registry=base,
        memory=memory,
        memories=tuple(sorted(contributions, key=lambda each: (-each.share, each.id))),
    )
