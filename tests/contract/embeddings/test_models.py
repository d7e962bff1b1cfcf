"""Reported faults of the kind: a model was missing, broken or another one, and answers were silently worse or empty.

The encoders here are arithmetic on letters: what is tested is which vectors are compared, not how good they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from api.wiring import Services
from graph.embeddings import Embeddings, FloatArray
from graph.errors import EncoderUnavailable, InvalidInput
from graph.store import Store
from kit.values.spaces import Space
from services.catalogue import CatalogueService, read_catalogue
from services.discovery.answers import Answer
from services.discovery.service import DiscoveryService
from services.encoders import Encoder

PEOPLE = """
CREATE TABLE people (Daniel INTEGER, birthday DATE, salary INTEGER);
CREATE TABLE machines (serial INTEGER, bought_on DATE);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """Counts letters, each shifted by `shift`: two shifts are two models of one dimension."""

    name: str
    shift: int = 0

    def encode(self, texts: Sequence[str]) -> FloatArray:
        counts = np.zeros((len(texts), 27), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                place = (ord(letter) - ord("a") + self.shift) % 26 if "a" <= letter <= "z" else 26
                counts[row, place] += 1
        counts[:, 26] += 1e-3  # no text gives a vector of zeros
        unit: FloatArray = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Wide:
    """The letters again, in twice as many dimensions."""

    name: str

    def encode(self, texts: Sequence[str]) -> FloatArray:
        half = Letters(name=self.name).encode(texts)
        return np.hstack([half, half]) / np.float32(np.sqrt(2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """Says that it is there, and fails when it is used: a model whose files are damaged."""

    name: str = "broken"

    def encode(self, texts: Sequence[str]) -> FloatArray:
        raise EncoderUnavailable(f"model {self.name!r}", found="its files are damaged", hint="Fetch it again")


def load(services: Services, space: Space, encoder: Encoder | None) -> None:
    catalogue = read_catalogue(PEOPLE, format="sql", source="ddl")
    CatalogueService(services.store, encoder).import_catalogue(space.name, catalogue)


def ask(
    services: Services, space: Space, encoder: Encoder | None, intent: str, *, missing: str | None = None
) -> Answer:
    service = DiscoveryService(services.store, services.registries, encoder, missing=missing, clock=services.clock)
    return service.discover(space.name, intent)


@pytest.mark.fault(51)
@pytest.mark.parametrize("asked", ["Daniel", "daniel", "DANIEL"])
def test_what_was_stored_without_a_model_is_found_with_one(services: Services, space: Space, asked: str) -> None:
    load(services, space, None)
    answer = ask(services, space, Letters(name="a"), asked)
    assert answer.results[0].id == "people.Daniel"
    assert answer.degraded


@pytest.mark.fault(110)
@pytest.mark.parametrize("asked", ["serial", "Daniel", "birthday"])
def test_an_exact_name_comes_first_with_a_model_too(services: Services, space: Space, asked: str) -> None:
    load(services, space, Letters(name="a"))
    answer = ask(services, space, Letters(name="a"), asked)
    assert answer.results[0].name == asked
    assert answer.degraded == ()


@pytest.mark.fault(54)
def test_vectors_of_two_models_are_never_compared(services: Services, space: Space, store: Store) -> None:
    load(services, space, Letters(name="a"))
    other = Letters(name="b", shift=7)
    question = other.encode(["salary"])[0]
    found = store.nearest_objects(space.name, [], model="b")
    assert found == {}
    answer = ask(services, space, other, "salary")
    assert question.shape == Letters(name="a").encode(["salary"])[0].shape
    assert [hit.id for hit in answer.results][:1] == ["people.salary"]
    assert answer.degraded
    assert len(store.list_unembedded(space.name, of="objects", model="b")) == 7


@pytest.mark.fault(48)
def test_a_model_that_breaks_is_said_and_words_answer(services: Services, space: Space) -> None:
    load(services, space, None)
    plain = ask(services, space, None, "salary of people", missing="none was set")
    broken = ask(services, space, Broken(), "salary of people")
    assert [hit.id for hit in broken.results] == [hit.id for hit in plain.results] != []
    assert "damaged" in " ".join(broken.degraded)


def test_a_model_that_breaks_during_an_import_loses_nothing(services: Services, space: Space) -> None:
    load(services, space, Broken())
    assert ask(services, space, None, "salary").results[0].id == "people.salary"


@pytest.mark.fault(52)
def test_a_model_of_another_width_is_said_with_the_command_and_words_answer(
    services: Services, space: Space, store: Store
) -> None:
    """Loaded with one model, then started with another of more dimensions; a reindex that breaks off is taken up."""
    load(services, space, Letters(name="a"))
    wider = Wide(name="wide")
    plain = ask(services, space, None, "salary of people")
    answer = ask(services, space, wider, "salary of people")
    assert [hit.id for hit in answer.results][:1] == [hit.id for hit in plain.results][:1] != []
    assert "`retinue reindex`" in " ".join(answer.degraded)

    ids = store.list_unembedded(space.name, of="objects", model="wide")
    first = Embeddings(model="wide", ids=ids[:2], matrix=wider.encode(ids[:2]))
    store.save_embeddings(space.name, first, of="objects")
    service = DiscoveryService(store, services.registries, wider, clock=services.clock)
    assert service.reindex(space.name).objects == len(ids) - 2
    assert ask(services, space, wider, "salary of people").degraded == ()


@pytest.mark.fault(52)
def test_another_width_under_the_models_own_name_is_refused(services: Services, space: Space, store: Store) -> None:
    load(services, space, Letters(name="a"))
    before = store.show_embeddings(space.name, ["people"], of="objects")
    vectors = Embeddings(model="a", ids=("people",), matrix=Wide(name="a").encode(["people"]))
    with pytest.raises(InvalidInput, match="dimensions"):
        store.save_embeddings(space.name, vectors, of="objects")
    [kept] = store.show_embeddings(space.name, ["people"], of="objects")
    assert kept.matrix.tolist() == before[0].matrix.tolist()
