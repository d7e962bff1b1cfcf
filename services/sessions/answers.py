"""Answers of the session service, by id."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.chunks import CHUNK_KINDS, CHUNK_ROLES, Chunk
from graph.session_contents import SessionContents
from services.retention.explanations import Eviction
from services.retention.retaining import BestWithoutRoom, MissingPremise, PinWithoutRoom, Retention, Warned


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The ids that an answer archived, and whether it left tombstones."""

    archived: tuple[str, ...]
    tombstones: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """`kept` in order of selection, `chunks` the kept ones in reading order, empty where only ids were asked for.
    `degraded` names, in words, what could not be used."""

    kept: tuple[str, ...]
    reading_order: tuple[str, ...]
    evicted: tuple[str, ...]
    tokens: int
    budget_tokens: int
    warnings: tuple[Warned[str], ...]
    trace: tuple[Eviction[str], ...]
    policy: str
    encoder: str
    degraded: tuple[str, ...] = ()
    applied: Applied | None = None
    chunks: tuple[Chunk, ...] = ()


def named(
    found: Retention,
    ids: Sequence[str],
    *,
    lost: Sequence[tuple[str, str]],
    policy: str,
    encoder: str,
    degraded: tuple[str, ...] = (),
) -> Retained:
    """Return the core's answer with ids in place of numbers; `lost` are kept chunks' premises that are archived."""
    kept = tuple(ids[place] for place in found.kept)
    there = set(kept)
    return Retained(
        kept=kept,
        reading_order=tuple(ids[place] for place in found.reading_order),
        evicted=tuple(ids[place] for place in found.evicted),
        tokens=found.tokens,
        budget_tokens=found.budget_tokens,
        warnings=(
            *(_warned(it, ids) for it in found.warnings),
            *(MissingPremise(chunk=chunk, premise=premise, archived=True) for chunk, premise in lost if chunk in there),
        ),
        trace=tuple(
            Eviction(
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


def _warned(it: Warned[int], ids: Sequence[str]) -> Warned[str]:
    match it:
        case MissingPremise():
            return MissingPremise(chunk=ids[it.chunk], premise=ids[it.premise])
        case BestWithoutRoom():
            return BestWithoutRoom(chunk=ids[it.chunk], premise=ids[it.premise], tokens=it.tokens)
        case PinWithoutRoom():
            return PinWithoutRoom(chunk=ids[it.chunk], tokens=it.tokens)


def chunks_at(contents: SessionContents, places: Sequence[int]) -> tuple[Chunk, ...]:
    """Return the chunks at these places of a session's contents."""
    return tuple(
        Chunk(
            id=contents.ids[place],
            text=contents.texts[place],
            tokens=int(contents.tokens[place]),
            kind=CHUNK_KINDS[contents.kinds[place]],
            role=None if contents.roles[place] < 0 else CHUNK_ROLES[contents.roles[place]],
            call_id=contents.call_ids[place],
            pinned=bool(contents.pinned[place]),
            importance=float(contents.importance[place]),
            position=int(contents.positions[place]),
        )
        for place in places
    )
