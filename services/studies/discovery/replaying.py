"""Replays a domain's tasks through the services: asks, records, and remembers what served, as a user's agent would.

Each arm has a workspace of its own on a store in memory. What is yielded are raw rows; nothing is averaged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from graph.embedded import open_store
from graph.memories import Memory
from graph.store import Store
from services.catalogue import CatalogueService
from services.catalogue_index import CatalogueIndexes
from services.discovery.answers import Answer
from services.discovery.service import DiscoveryService
from services.encoders import Encoder
from services.measures import measured
from services.memories import MemoryService
from services.memories.states import Feedback
from services.studies.discovery.circumstances import Attributes, Circumstances, agreement, remembered
from services.studies.discovery.tasks import StudyDomain, StudyTask

WORKSPACE = "study"
AT = datetime(2026, 1, 1, tzinfo=UTC)  # a study's clock stands still: its rows do not depend on the day
DEPTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyArm:
    """A retriever with a rule and its parameters; `memory_retriever` where likeness of intents is another's."""

    retriever: str
    rule: str
    memory_retriever: str | None = None


class Replay:
    """One arm's workspace over one domain."""

    def __init__(self, store: Store, domain: StudyDomain, arm: StudyArm, encoder: Encoder | None) -> None:
        self._store = store
        self._arm = arm
        store.create_workspace(WORKSPACE, incarnation="study", at=AT)
        registries = CatalogueIndexes(store)
        self._discovery = DiscoveryService(store, registries, encoder, missed=False, clock=lambda: AT)
        self._memories = MemoryService(store, encoder, lambda: AT)
        CatalogueService(store, encoder).import_catalogue(WORKSPACE, domain.catalogue)
        self._hidden: dict[str, Memory] = {}

    def ask(self, task: StudyTask) -> Answer:
        arm = self._arm
        answer = self._discovery.discover(
            WORKSPACE,
            task.intent,
            limit=DEPTH,
            retriever=arm.retriever,
            rule=arm.rule,
            memory_retriever=arm.memory_retriever,
        )
        self._discovery.record(WORKSPACE, answer)
        return answer

    def remember(self, task: StudyTask, objects: Sequence[str]) -> str:
        return self._memories.remember(WORKSPACE, task.intent, objects, evidence=Feedback(kind="annotated")).id

    def outcome(self, answer: Answer, task: StudyTask) -> None:
        """What served is told, and earns trust or loses it."""
        self._memories.settle(WORKSPACE, answer.discovery, task.needed)

    def hide(self, ids: Sequence[str]) -> None:
        """These memories, and no others, weigh nothing until the next call."""
        wanted = set(ids)
        shown = [memory for key, memory in self._hidden.items() if key not in wanted]
        new = self._store.show_memories(WORKSPACE, sorted(wanted - self._hidden.keys()))
        self._store.load_memories(WORKSPACE, [*shown, *(replace(memory, state="refuted") for memory in new)])
        self._hidden = {key: it for key, it in self._hidden.items() if key in wanted} | {it.id: it for it in new}


@contextmanager
def replay_of(domain: StudyDomain, arm: StudyArm, encoder: Encoder | None) -> Iterator[Replay]:
    store = open_store("memory://")
    try:
        yield Replay(store, domain, arm, encoder)
    finally:
        store.close()


def prequential(
    domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, given: Circumstances
) -> Iterator[dict[str, Any]]:
    """Each task is scored with the memories of earlier ones, then its own outcome is remembered."""
    if given.memories == "wrong":
        yield from _wrongly(domain, arm, encoder, given=given)
        return
    kept = remembered(domain, circumstances=given)
    with replay_of(domain, arm, encoder) as replay:
        for task in domain.tasks:
            answer = replay.ask(task)
            yield _row(domain, arm, task, answer)
            replay.outcome(answer, task)
            replay.remember(task, kept[task.id])


def _wrongly(
    domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, given: Circumstances
) -> Iterator[dict[str, Any]]:
    """Each task is scored with those memories of earlier ones that share no attribute with what it needs."""
    kept = remembered(domain, circumstances=given)
    attributes = Attributes(domain)
    memory_of: dict[str, str] = {}
    with replay_of(domain, arm, encoder) as replay:
        if given.trust == "earned":
            for task in domain.tasks:
                replay.outcome(replay.ask(task), task)
                memory_of[task.id] = replay.remember(task, kept[task.id])
        for place, task in enumerate(domain.tasks):
            earlier = domain.tasks[:place]
            truly = replay.ask(task) if given.trust == "held" else None
            met = {memory_of[other.id] for other in earlier} - {
                memory_of[other.id] for other in attributes.shared(task, earlier)
            }
            replay.hide(sorted(set(memory_of.values()) - met))
            answer = replay.ask(task)
            yield _row(domain, arm, task, answer)
            if truly is not None:
                replay.hide(())
            replay.outcome(truly or answer, task)
            if given.trust != "earned":
                memory_of[task.id] = replay.remember(task, kept[task.id])


def rotation(
    domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, given: Circumstances
) -> Iterator[dict[str, Any]]:
    """One task of each family is its memory, the others are scored; every choice of these in turn."""
    families = families_of(domain)
    attributes = Attributes(domain)
    for turn in range(max(map(len, families.values()))):
        seeds = [tasks[turn % len(tasks)] for tasks in families.values()]
        kept = remembered(replace(domain, tasks=tuple(seeds)), circumstances=given, stream=turn)
        with replay_of(domain, arm, encoder) as replay:
            memory_of = {task.id: replay.remember(task, kept[task.id]) for task in seeds}
            for task in domain.tasks:
                if task in seeds:
                    continue
                if given.memories == "wrong":
                    replay.hide(sorted({memory_of[other.id] for other in attributes.shared(task, seeds)}))
                yield _row(domain, arm, task, replay.ask(task)) | {"turn": turn}


def agreement_of(domain: StudyDomain, *, given: Circumstances, turns: bool) -> float:
    """How far the memories of a replay name what was needed."""
    if not turns:
        return agreement(domain, remembered(domain, circumstances=given))
    families = families_of(domain)
    found = []
    for turn in range(max(map(len, families.values()))):
        seeds = tuple(tasks[turn % len(tasks)] for tasks in families.values())
        kept = remembered(replace(domain, tasks=seeds), circumstances=given, stream=turn)
        found.append(agreement(domain, kept))
    return sum(found) / len(found)


def families_of(domain: StudyDomain) -> Mapping[str, list[StudyTask]]:
    families: dict[str, list[StudyTask]] = {}
    for task in domain.tasks:
        families.setdefault(task.family or "", []).append(task)
    return families


def _row(domain: StudyDomain, arm: StudyArm, task: StudyTask, answer: Answer) -> dict[str, Any]:
    found = [hit.id for hit in answer.results]
    return {
        "data": domain.data,
        "domain": domain.name,
        "task": task.id,
        "family": task.family,
        "retriever": arm.retriever,
        "rule": arm.rule,
        "found": found,
        "needed": list(task.needed),
        **measured(found, task.needed),
    }
