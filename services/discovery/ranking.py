"""From scores to hits: the total order of results, and the parts that explain each of them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from graph.catalogue import ObjectKind
from services.discovery.answers import Hit, Voice
from services.discovery.board import Board, Floats
from services.discovery.rules import Recall, Verdict
from services.registry import Registry

DECIMALS = 9


def rank(
    registry: Registry,
    board: Board,
    verdict: Verdict,
    recall: Recall,
    *,
    intent: str,
    limit: int,
    kinds: Collection[ObjectKind] | None,
) -> tuple[Hit, ...]:
    """By score rounded to 9 decimals, then an object whose name is the intent itself, then id. What nothing speaks
    for (a score of 0 or less) is no hit."""
    keyed = _first(registry, board, verdict.score, intent=intent, limit=limit, kinds=kinds)
    return tuple(_hit(registry, verdict, recall, item=item, row=row) for item, row in keyed)


def first_ids(registry: Registry, board: Board, scores: Floats, *, intent: str, limit: int) -> tuple[str, ...]:
    """The ids of what `rank` puts first where these are its scores."""
    return tuple(item for item, _ in _first(registry, board, scores, intent=intent, limit=limit, kinds=None))


def _first(
    registry: Registry, board: Board, scores: Floats, *, intent: str, limit: int, kinds: Collection[ObjectKind] | None
) -> list[tuple[str, int]]:
    itself = registry.named(intent)
    wanted = np.flatnonzero(scores > 0)
    if kinds is not None:
        wanted = wanted[[registry.objects[board.ids[row]].kind in kinds for row in wanted]]
    if len(wanted) > limit:  # the rest is too far off for rounding to bring it back
        least = np.partition(scores[wanted], len(wanted) - limit)[len(wanted) - limit]
        wanted = wanted[scores[wanted] >= least - 10.0**-DECIMALS]
    keyed = []
    for row, score in zip(wanted.tolist(), scores[wanted].tolist(), strict=True):
        rounded, item = round(score, DECIMALS), board.ids[row]
        if rounded > 0:
            keyed.append((-rounded, item not in itself, item, row))
    return [(item, row) for _, _, item, row in sorted(keyed)[:limit]]


def _hit(registry: Registry, verdict: Verdict, recall: Recall, *, item: str, row: int) -> Hit:
    found = registry.objects[item]
    voices = [
        Voice(id=memory.id, intent=memory.intent, share=share)
        for memory, share in zip(recall.memories, verdict.voices[:, row].tolist(), strict=True)
        if share != 0
    ]
    memory = float(sum(voice.share for voice in voices))
    base = float(verdict.registry[row])
    return Hit(
        id=item,
        kind=found.kind,
        table=found.table,
        name=found.name,
        description=found.description,
        score=base + memory,
        registry=base,
        memory=memory,
        memories=tuple(sorted(voices, key=lambda voice: (-voice.share, voice.id))),
    )
