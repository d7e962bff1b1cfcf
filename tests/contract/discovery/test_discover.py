"""`discover` itself, over the bundled bank with what its lessons taught: every back end answers as memory:// does."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from graph.embedded import open_store
from graph.embeddings import FloatArray
from graph.store import Store
from services.catalogue import CatalogueService, read_catalogue
from services.catalogue_index import CatalogueIndexes
from services.discovery.answers import Answer, Hit
from services.discovery.arms import PAIRS
from services.discovery.service import DiscoveryService
from services.domains import load_domain
from services.encoders import Encoder
from services.memories import states  # not the class: pytest would collect a name that begins with Test
from services.memories.service import MemoryService

BANK = load_domain("czech_bank")
PROVEN = states.Feedback(kind="annotated")
PLANS = [(retriever, rule) for retriever, rules in PAIRS.items() for rule in rules]
LEXICAL = [plan for plan in PLANS if plan[0] != "neural"]


def clock() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC)


class Once:
    """The encoder with a memory: each text is encoded once for all back ends."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self.name = encoder, encoder.name
        self._rows: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str]) -> FloatArray:
        if new := sorted(set(texts) - set(self._rows)):
            self._rows.update(zip(new, self._encoder.encode(new), strict=True))
        return np.stack([self._rows[text] for text in texts])


class Bank:
    """A workspace with the bank's catalogue and memories of its lessons: one refuted, one proposed, one suspended."""

    def __init__(self, store: Store, encoder: Encoder | None) -> None:
        self.store, self.name = store, f"t-{uuid.uuid4().hex}"
        store.create_workspace(self.name, incarnation="first", at=clock())
        catalogue = CatalogueService(store, encoder)
        catalogue.import_catalogue(self.name, read_catalogue(BANK.text, format="json", source="bank"))
        memories = MemoryService(store, encoder, clock)
        learnt = [
            memories.remember(self.name, task.intent, task.objects, evidence=None if number == 0 else PROVEN)
            for number, task in enumerate(BANK.lessons)
        ]
        memories.refute(self.name, learnt[1].id)
        only = set(learnt[2].objects).difference(*(m.objects for m in learnt[3:]))
        store.save_objects(self.name, [], gone=sorted(only)[:1])
        self.service = DiscoveryService(store, CatalogueIndexes(store), encoder, clock=clock)

    def ask(self, retriever: str, rule: str) -> list[Answer]:
        return [
            self.service.discover(self.name, task.intent, retriever=retriever, rule=rule) for task in BANK.questions
        ]


@pytest.fixture(scope="module")
def reference() -> Iterator[Store]:
    opened = open_store("memory://")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def by_words(store: Store, reference: Store) -> Iterator[tuple[Bank, Bank]]:
    bank = Bank(store, None)
    yield bank, Bank(reference, None)
    store.delete_workspace(bank.name)


@pytest.fixture(scope="module")
def once(neural: Encoder) -> Encoder:
    return Once(neural)


@pytest.fixture(scope="module")
def encoded(store: Store, reference: Store, once: Encoder) -> Iterator[tuple[Bank, Bank]]:
    bank = Bank(store, once)
    yield bank, Bank(reference, once)
    store.delete_workspace(bank.name)


def same(found: Sequence[Answer], wanted: Sequence[Answer], *, within: float) -> None:
    assert sum(bool(answer.results) for answer in found) > len(found) / 2
    for one, other in zip(found, wanted, strict=True):
        assert [hit.score for hit in one.results] == pytest.approx([hit.score for hit in other.results], abs=within)
        assert one.degraded == other.degraded
        wanted_hits = {hit.id: hit for hit in other.results}
        for place, hit in enumerate(one.results):
            # Ids whose scores are within the tolerance may change places, and so fall off the end.
            twin = wanted_hits.get(hit.id)
            if twin is None or hit.id != other.results[place].id:
                assert within > 1e-9
                assert hit.score == pytest.approx(other.results[place].score, abs=within)
            if twin is not None:
                same_hit(hit, twin, within=within)


def same_hit(hit: Hit, twin: Hit, *, within: float) -> None:
    assert (hit.kind, hit.table, hit.name, hit.description) == (twin.kind, twin.table, twin.name, twin.description)
    assert (hit.registry, hit.memory) == pytest.approx((twin.registry, twin.memory), abs=within)
    assert [voice.id for voice in hit.memories] == [voice.id for voice in twin.memories]
    assert [voice.share for voice in hit.memories] == pytest.approx([v.share for v in twin.memories], abs=within)


def adds_up(answers: Sequence[Answer]) -> None:
    for answer in answers:
        for hit in answer.results:
            assert hit.registry + hit.memory == pytest.approx(hit.score, abs=1e-9)
            assert sum(voice.share for voice in hit.memories) == pytest.approx(hit.memory, abs=1e-9)


@pytest.mark.fault(50)
@pytest.mark.parametrize(("retriever", "rule"), LEXICAL)
def test_by_words_alone(by_words: tuple[Bank, Bank], retriever: str, rule: str) -> None:
    bank, reference = by_words
    found = bank.ask(retriever, rule)
    same(found, reference.ask(retriever, rule), within=1e-9)
    adds_up(found)


@pytest.mark.parametrize(("retriever", "rule"), [p for p in PLANS if p[0] in ("neural", "blend")])
def test_with_the_encoder(encoded: tuple[Bank, Bank], retriever: str, rule: str) -> None:
    bank, reference = encoded
    found = bank.ask(retriever, rule)
    same(found, reference.ask(retriever, rule), within=1e-5)
    adds_up(found)
