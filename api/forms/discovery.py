"""The JSON of discovery answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.catalogue import ObjectKind

if TYPE_CHECKING:
    from services.discovery.answers import Answer, Hit, JoinTree


class PartsReply(TypedDict):
    """The parts of a score, which is their sum."""

    registry: float
    memory: float


class ContributionReply(TypedDict):
    """A memory that contributed, and its share of the memory part."""

    id: str
    intent: str
    share: float


class HitReply(TypedDict):
    """A table or an attribute, with the reasons for its rank."""

    id: str
    kind: ObjectKind
    table: str | None
    name: str
    description: str
    score: float
    parts: PartsReply
    memories: list[ContributionReply]


StepReply = TypedDict(
    "StepReply", {"from": str, "to": str, "references": list[tuple[str, str]], "serves": list[str]}
)  # from a table of the tree to the next: the references between the two, and the hits that it is for


class JoinReply(TypedDict):
    """How the tables join, outwards from the best; `added` are tables between, `unconnected` hits without a path."""

    root: str
    steps: list[StepReply]
    added: list[str]
    unconnected: list[str]


class DiscoverReply(TypedDict):
    """The objects, best first; `degraded` says what could not be used; `join` only where it was asked for and there
    are results."""

    discovery: str
    results: list[HitReply]
    retriever: str
    rule: str
    degraded: list[str]
    join: NotRequired[JoinReply]


def answer_json(answer: Answer) -> DiscoverReply:
    join = answer.join and _join_json(answer.join)
    reply = fill(DiscoverReply, answer, results=[_hit_json(hit) for hit in answer.results], join=join)
    if join is None:
        del reply["join"]
    return reply


def _join_json(join: JoinTree) -> JoinReply:
    steps = [fill(StepReply, step, **{"from": step.start, "to": step.end}) for step in join.steps]
    return fill(JoinReply, join, steps=steps)


def _hit_json(hit: Hit) -> HitReply:
    memories = [fill(ContributionReply, it) for it in hit.memories]
    return fill(HitReply, hit, parts=fill(PartsReply, hit), memories=memories)
