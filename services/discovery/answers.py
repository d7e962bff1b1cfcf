"""What discovery answers with: hits, their parts, and the memories that spoke for or against them."""

from __future__ import annotations

from dataclasses import dataclass

from graph.catalogue import ObjectKind, Reference
from graph.feedback import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One memory's share in a hit's memory part; negative where its question did not need what it was given."""

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
    memories: tuple[Voice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinStep:
    """From a table of the tree to the next: all references between the two, and the hits (ids) that it is for."""

    start: str
    end: str
    references: tuple[Reference, ...]
    serves: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinTree:
    """How the tables of the hits join: steps outwards from the best table, each after the one that it goes on from.

    `added` are the tables between, which no hit is of; `unconnected` the hits that no path leads to.
    """

    root: str
    steps: tuple[JoinStep, ...]
    added: tuple[str, ...]
    unconnected: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The hits, best first, and in `degraded`, in words, what could not be used for them; `join` where it was asked
    for and there are hits. `trials`: see `Discovery`."""

    discovery: str
    intent: str
    results: tuple[Hit, ...]
    retriever: str
    rule: str
    degraded: tuple[str, ...] = ()
    join: JoinTree | None = None
    trials: tuple[Trial, ...] = ()
