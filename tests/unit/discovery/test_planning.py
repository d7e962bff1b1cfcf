"""A scripted planner takes what `discover` finds and the joins between it; with memory its plans cover more.

The plan for a question is its first hits, the tables between them, and the columns that join: it knows nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from graph.embedded import open_store
from services.catalogue import CatalogueService, read_catalogue
from services.catalogue_index import CatalogueIndexes
from services.discovery.answers import Answer
from services.discovery.service import DiscoveryService
from services.domains import BundledDomain, load_domain
from services.learning import LearningService
from services.memories import MemoryService

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HITS = 5


class Planner:
    """Plans over the bundled bank, which has learned from the statements of the domain's lessons."""

    def __init__(self, domain: BundledDomain) -> None:
        self.store = open_store("memory://")
        self.store.create_workspace("w", incarnation="1", at=NOON)
        registries = CatalogueIndexes(self.store)
        CatalogueService(self.store, None).import_catalogue("w", read_catalogue(domain.text, format="json", source="d"))
        learning = LearningService(MemoryService(self.store, None, lambda: NOON), registries)
        for task in domain.lessons:
            learning.learn("w", task.intent, task.sql, dialect=task.dialect)
        self.discovery = DiscoveryService(self.store, registries, None, missed=False, clock=lambda: NOON)

    def plan(self, intent: str, *, use_memory: bool) -> set[str]:
        answer = self.discovery.discover("w", intent, limit=HITS, join=True, use_memory=use_memory)
        return {hit.id for hit in answer.results} | _joining(answer)


def _joining(answer: Answer) -> set[str]:
    if answer.join is None:
        return set()
    columns = {end for step in answer.join.steps for reference in step.references for end in reference}
    return columns | {answer.join.root} | {step.end for step in answer.join.steps}


@pytest.fixture(scope="module")
def bank() -> BundledDomain:
    return load_domain("czech_bank")


@pytest.fixture(scope="module")
def planner(bank: BundledDomain) -> Iterator[Planner]:
    made = Planner(bank)
    yield made
    made.store.close()


def test_plans_with_memory_cover_more_of_what_is_needed(bank: BundledDomain, planner: Planner) -> None:
    covered: dict[bool, float] = {}
    for use_memory in (False, True):
        shares = [
            len(set(task.objects) & planner.plan(task.intent, use_memory=use_memory)) / len(task.objects)
            for task in bank.questions
        ]
        covered[use_memory] = sum(shares) / len(shares)
    assert covered[True] > covered[False] + 0.05, covered


def test_every_plan_is_connected(bank: BundledDomain, planner: Planner) -> None:
    for task in bank.tasks:
        answer = planner.discovery.discover("w", task.intent, limit=20, join=True)
        assert answer.join is not None
        assert answer.join.unconnected == ()  # the bank's tables all join
