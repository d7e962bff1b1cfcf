"""Replays a domain's tasks through the services: asks, records, and remembers what served, as a user's agent would.

Each arm has a workspace of its own on a store of its own. The results are raw rows; nothing is averaged here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from graph.memories import EvidenceKind, Memory
from services.catalogue import CatalogueService
from services.catalogue.service import CatalogueStore
from services.catalogue_index import CatalogueIndexes, IndexedStore
from services.discovery.answers import Answer
from services.discovery.service import DiscoveryService, DiscoveryStore
from services.encoders import Encoder
from services.identity import normal_intent
from services.measures import measured
from services.memories import MemoryService
from services.memories.service import MemoryStore
from services.memories.states import Feedback
from services.studies.discovery.circumstances import Attributes, agreement, remembered
from services.studies.discovery.protocol import DiscoveryProtocol, StudyArm
from services.studies.discovery.tasks import StudyDomain, StudyTask

WORKSPACE = "study"
AT = datetime(2026, 1, 1, tzinfo=UTC)  # a study's clock stands still: its rows do not depend on the day
DEPTH = 10
REPEATED = 100  # questions of a domain that are asked again


class ReplayStore(DiscoveryStore, IndexedStore, MemoryStore, CatalogueStore, Protocol):
    """The ports that the services of a replay use."""

    def close(self) -> None: ...


OpenStore = Callable[[], ReplayStore]
"""Returns a store with nothing in it. It is pickled where several processes run."""


class Replay:
    """One arm's workspace over one domain."""

    def __init__(
        self, store: ReplayStore, domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, depth: int = DEPTH
    ) -> None:
        """`depth`: how many results an answer has."""
        self._store = store
        self._domain = domain
        self._arm = arm
        store.create_workspace(WORKSPACE, incarnation="study", at=AT)
        registries = CatalogueIndexes(store)
        self._discovery = DiscoveryService(store, registries, encoder, missed=False, clock=lambda: AT)
        self._memories = MemoryService(store, encoder, lambda: AT)
        CatalogueService(store, encoder).import_catalogue(WORKSPACE, domain.catalogue)
        self._hidden: dict[str, Memory] = {}
        self._depth = depth

    def ask(self, task: StudyTask) -> Answer:
        """Answer the task's question and record the answer."""
        arm = self._arm
        answer = self._discovery.discover(
            WORKSPACE,
            task.intent,
            limit=self._depth,
            retriever=arm.retriever,
            rule=arm.rule,
            memory_retriever=arm.memory_retriever,
        )
        self._discovery.record(WORKSPACE, answer)
        return answer

    def remember(self, task: StudyTask, objects: Sequence[str], *, kind: EvidenceKind = "annotated") -> str:
        """Remember the task's question with these objects; returns the memory's id."""
        return self._memories.remember(WORKSPACE, task.intent, objects, evidence=Feedback(kind=kind)).id

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

    def row(self, task: StudyTask, answer: Answer) -> dict[str, Any]:
        """Return the raw row of an answer to a task."""
        found = [hit.id for hit in answer.results]
        return {
            "data": self._domain.data,
            "domain": self._domain.name,
            "task": task.id,
            "family": task.family,
            "retriever": self._arm.retriever,
            "rule": self._arm.rule,
            "found": found,
            "needed": list(task.needed),
            **measured(found, task.needed),
        }


Start = Callable[[], AbstractContextManager[Replay]]


@contextmanager
def _started(
    open_store: OpenStore, domain: StudyDomain, arm: StudyArm, encoder: Encoder | None, *, depth: int = DEPTH
) -> Iterator[Replay]:
    store = open_store()
    try:
        yield Replay(store, domain, arm, encoder, depth=depth)
    finally:
        store.close()


def replay_tasks(
    domain: StudyDomain,
    arm: StudyArm,
    encoder: Encoder | None,
    *,
    protocol: DiscoveryProtocol,
    open_store: OpenStore,
) -> Iterator[dict[str, Any]]:
    """Ask a domain's tasks of one arm as the protocol says; yields a raw row a task (and turn of a rotation)."""
    start = partial(_started, open_store, domain, arm, encoder)
    if protocol.protocol == "repeats":
        depth = max([DEPTH, *(len(task.needed) for task in domain.tasks)])
        return _repeats(domain, partial(start, depth=depth), protocol)
    if protocol.protocol == "rotation":
        return _rotation(domain, start, protocol)
    if protocol.memories == "wrong":
        return _prequential_wrong(domain, start, protocol)
    return _prequential(domain, start, protocol)


def _prequential(domain: StudyDomain, start: Start, protocol: DiscoveryProtocol) -> Iterator[dict[str, Any]]:
    """Score each task with the memories of earlier ones, then remember its own outcome."""
    kept = remembered(domain, protocol=protocol)
    with start() as replay:
        for task in domain.tasks:
            answer = replay.ask(task)
            yield replay.row(task, answer)
            replay.outcome(answer, task)
            replay.remember(task, kept[task.id])


def _prequential_wrong(domain: StudyDomain, start: Start, protocol: DiscoveryProtocol) -> Iterator[dict[str, Any]]:
    """Score each task with those memories of earlier ones that share no attribute with what it needs."""
    kept = remembered(domain, protocol=protocol)
    attributes = Attributes(domain)
    memory_of: dict[str, str] = {}
    with start() as replay:
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
            yield replay.row(task, answer)
            if truly is not None:
                replay.hide(())
            replay.outcome(truly or answer, task)
            if protocol.trust != "earned":
                memory_of[task.id] = replay.remember(task, kept[task.id])


def _rotation(domain: StudyDomain, start: Start, protocol: DiscoveryProtocol) -> Iterator[dict[str, Any]]:
    """Make one task of each family its memory and score the others; every choice of these in turn."""
    attributes = Attributes(domain)
    for turn, seeds in enumerate(_turns(domain)):
        kept = remembered(replace(domain, tasks=seeds), protocol=protocol, stream=turn)
        with start() as replay:
            memory_of = {task.id: replay.remember(task, kept[task.id]) for task in seeds}
            for task in domain.tasks:
                if task in seeds:
                    continue
                if protocol.memories == "wrong":
                    replay.hide(sorted({memory_of[other.id] for other in attributes.shared(task, seeds)}))
                yield {**replay.row(task, replay.ask(task)), "turn": turn}


def _repeats(domain: StudyDomain, start: Start, protocol: DiscoveryProtocol) -> Iterator[dict[str, Any]]:
    """Confirm the first REPEATED distinct questions, each with its objects, then ask them again word for word."""
    distinct = {normal_intent(task.intent): task for task in reversed(domain.tasks)}
    chosen = [task for task in domain.tasks if distinct[normal_intent(task.intent)] is task][:REPEATED]
    kept = remembered(domain, protocol=protocol)
    with start() as replay:
        for task in chosen:
            replay.remember(task, kept[task.id], kind="confirmed")
        for task in chosen:
            yield replay.row(task, replay.ask(task))


def agreement_of(domain: StudyDomain, *, protocol: DiscoveryProtocol) -> float:
    """Return how far the memories of a replay name what was needed; over turns of a rotation the mean."""
    turns = _turns(domain) if protocol.protocol == "rotation" else [domain.tasks]
    found = []
    for turn, tasks in enumerate(turns):
        kept = remembered(replace(domain, tasks=tasks), protocol=protocol, stream=turn)
        found.append(agreement(domain, kept))
    return sum(found) / len(found)


def _turns(domain: StudyDomain) -> list[tuple[StudyTask, ...]]:
    """The tasks that are memories in each turn of a rotation."""
    families = families_of(domain).values()
    return [tuple(tasks[turn % len(tasks)] for tasks in families) for turn in range(max(map(len, families)))]


def families_of(domain: StudyDomain) -> Mapping[str, list[StudyTask]]:
    """Return the tasks by family, in their order."""
    families: dict[str, list[StudyTask]] = {}
    for task in domain.tasks:
        families.setdefault(task.family or "", []).append(task)
    return families
