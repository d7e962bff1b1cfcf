"""Replays a domain's tasks through the services: asks, records, and remembers what served, as a user's agent would.

Each arm has a workspace of its own on a store in memory. The result are raw rows; nothing is averaged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
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
from services.studies.discovery.circumstances import Attributes, agreement, remembered
from services.studies.discovery.protocol import DiscoveryProtocol, StudyArm
from services.studies.discovery.tasks import StudyDomain, StudyTask

WORKSPACE = "study"
AT = datetime(2026, 1, 1, tzinfo=UTC)  # a study's clock stands still: its rows do not depend on the day
DEPTH = 10


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
        """Answer the task's question and record the answer."""
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
        """Remember the task's question with these objects; returns the memory's id."""
        return self._memories.remember(WORKSPACE, task.intent, objects, evidence=Feedback(kind="annotated")).id

    def outcome(self, answer: Answer, task: StudyTask) -> None:
        """Report what was needed as the outcome of an answer: it earns trust or loses it."""
        self._memories.settle(WORKSPACE, answer.discovery, task.needed)

    def hide(self, ids: Sequence[str]) -> None:
        """Suspend these memories, and no others, until the next call."""
        wanted = set(ids)
        shown = [memory for key, memory in self._hidden.items() if key not in wanted]
        new = self._store.show_memories(WORKSPACE, sorted(wanted - self._hidden.keys()))
        self._store.load_memories(WORKSPACE, [*shown, *(replace(memory, state="refuted") for memory in new)])
        self._hidden = {key: it for key, it in self._hidden.items() if key in wanted} | {it.id: it for it in new}


@contextmanager
def replay_of(domain: StudyDomain, arm: StudyArm, encoder: Encoder | None) -> Iterator[Replay]:
    """Open a replay on a store of its own."""
    store = open_store("memory://")
    try:
        yield Replay(store, domain, arm, encoder)
    finally:
        store.close()


def prequential(
    domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, protocol: DiscoveryProtocol
) -> Iterator[dict[str, Any]]:
    """Score each task with the memories of earlier ones, then remember its own outcome."""
    if protocol.memories == "wrong":
        yield from _wrongly(domain, arm, encoder, protocol=protocol)
        return
    kept = remembered(domain, protocol=protocol)
    with replay_of(domain, arm, encoder) as replay:
        for task in domain.tasks:
            answer = replay.ask(task)
            yield _row(domain, arm, task, answer)
            replay.outcome(answer, task)
            replay.remember(task, kept[task.id])


def _wrongly(
    domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, protocol: DiscoveryProtocol
) -> Iterator[dict[str, Any]]:
    """Score each task with those memories of earlier ones that share no attribute with what it needs."""
    kept = remembered(domain, protocol=protocol)
    attributes = Attributes(domain)
    memory_of: dict[str, str] = {}
    with replay_of(domain, arm, encoder) as replay:
        if protocol.trust == "earned":
            for task in domain.tasks:
                replay.outcome(replay.ask(task), task)
                memory_of[task.id] = replay.remember(task, kept[task.id])
        for place, task in enumerate(domain.tasks):
            earlier = domain.tasks[:place]
            truly = replay.ask(task) if protocol.trust == "held" else None
            met = {memory_of[other.id] for other in earlier} - {
                memory_of[other.id] for other in attributes.shared(task, earlier)
            }
            replay.hide(sorted(set(memory_of.values()) - met))
            answer = replay.ask(task)
            yield _row(domain, arm, task, answer)
            if truly is not None:
                replay.hide(())
            replay.outcome(truly or answer, task)
            if protocol.trust != "earned":
                memory_of[task.id] = replay.remember(task, kept[task.id])


def rotation(
    domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, protocol: DiscoveryProtocol
) -> Iterator[dict[str, Any]]:
    """Make one task of each family its memory and score the others; every choice of these in turn."""
    families = families_of(domain)
    attributes = Attributes(domain)
    for turn in range(max(map(len, families.values()))):
        seeds = [tasks[turn % len(tasks)] for tasks in families.values()]
        kept = remembered(replace(domain, tasks=tuple(seeds)), protocol=protocol, stream=turn)
        with replay_of(domain, arm, encoder) as replay:
            memory_of = {task.id: replay.remember(task, kept[task.id]) for task in seeds}
            for task in domain.tasks:
                if task in seeds:
                    continue
                if protocol.memories == "wrong":
                    replay.hide(sorted({memory_of[other.id] for other in attributes.shared(task, seeds)}))
                yield _row(domain, arm, task, replay.ask(task)) | {"turn": turn}


def agreement_of(domain: StudyDomain, *, protocol: DiscoveryProtocol) -> float:
    """Return how far the memories of a replay name what was needed; over turns of a rotation the mean."""
    if protocol.protocol == "prequential":
        return agreement(domain, remembered(domain, protocol=protocol))
    families = families_of(domain)
    found = []
    for turn in range(max(map(len, families.values()))):
        seeds = tuple(tasks[turn % len(tasks)] for tasks in families.values())
        kept = remembered(replace(domain, tasks=seeds), protocol=protocol, stream=turn)
        found.append(agreement(domain, kept))
    return sum(found) / len(found)


def families_of(domain: StudyDomain) -> Mapping[str, list[StudyTask]]:
    """Return the tasks by family, in their order."""
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
