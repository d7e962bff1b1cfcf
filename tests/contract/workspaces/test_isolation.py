"""Workspaces do not meet: the same ids in two of them, and what is done to one leaves the other byte for byte."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from graph.embeddings import Embeddings
from graph.evidence import EXACT_LIMIT, Expectation, Question
from graph.feedback import Discovery
from graph.store import Store
from graph.workspaces import Reply
from kit.oracles.snapshots import snapshot
from kit.replays.round_trip import Hashing
from kit.values.samples import (
    ACCOUNT,
    AT,
    BANK,
    BANK_REFERENCES,
    MODEL,
    embeddings,
    intent_id,
    memory,
    scores,
    table,
    unit,
)
from services.catalogue_index import CatalogueIndexes
from services.discovery.service import DiscoveryService

ENCODERS = (None, Hashing())

ONE, TWO = memory("one", ["account", "loan"]), memory("two", ["account.A2"], state="proposed", successes=0)
QUESTION = Question(
    vector=unit("x"), model=MODEL, similarity="mean", intents=scores({intent_id("one"): 0.5, intent_id("two"): 0.7})
)
REPLY = Reply(key="k", request="r", status=0, body="", at=AT)


def fill(store: Store, workspace: str) -> None:
    vectors = embeddings({"account": "x", "loan": "xy"})
    stamp = store.save_objects(workspace, BANK, references=BANK_REFERENCES, embeddings=vectors).stamp
    store.save_memories(workspace, [ONE, TWO], embeddings=embeddings({intent_id("one"): "xy"}))
    made = Expectation(memory=ONE.id, objects=("account",), scores=(0.5,), support=0.5)
    store.save_expectations(workspace, [made], stamp=stamp, form="")
    store.claim_reply(workspace, REPLY, keep_since=AT - timedelta(days=1))


@pytest.fixture
def pair(store: Store) -> Iterator[tuple[str, str]]:
    """Two workspaces with the same content; the second one's name starts with the first one's."""
    first = f"t-{uuid.uuid4().hex}"
    second = f"{first}-"
    for name in (first, second):
        store.create_workspace(name, incarnation=name, at=AT)
        fill(store, name)
    yield first, second
    for name in {first, second} & {each.name for each in store.list_workspaces()}:
        store.delete_workspace(name)


def state(store: Store, workspace: str) -> bytes:
    """All there is to see of a workspace, its versions too."""
    return repr((store.show_workspace(workspace), snapshot(store, workspace, questions=[QUESTION]))).encode()


def test_equal_histories_give_equal_graphs(store: Store, pair: tuple[str, str]) -> None:
    first, second = (snapshot(store, name, questions=[QUESTION]) for name in pair)
    assert first == second


def test_deleting_one_leaves_the_other(store: Store, pair: tuple[str, str]) -> None:
    gone, kept = pair
    before = state(store, kept)
    store.delete_workspace(gone)
    assert state(store, kept) == before
    assert store.claim_reply(kept, REPLY, keep_since=AT - timedelta(days=1)) == REPLY


def test_nothing_done_in_one_shows_in_the_other(store: Store, pair: tuple[str, str]) -> None:
    busy, kept = pair
    before = state(store, kept)
    changed = replace(ACCOUNT[2], description="new")
    later = [replace(ONE, times=2, revision=1), memory("three", ["loan"])]
    stamp = store.save_objects(busy, [changed], gone=["loan.amount"], dropped_references=BANK_REFERENCES).stamp
    store.save_memories(busy, later, embeddings=embeddings({intent_id("one"): "z"}))
    store.save_embeddings(busy, embeddings({"account": "y", "account.id": "y"}), of="objects")
    store.save_embeddings(busy, embeddings({intent_id("two"): "y"}), of="intents")
    store.save_expectations(busy, [], stamp=stamp, form="")
    discovery = Discovery(id="d", intent="one", retriever="blend", rule="eq1", results=("loan",), at=AT)
    store.record_discovery(busy, discovery, keep=1, keep_since=AT)
    store.save_reply(busy, replace(REPLY, status=200))
    store.drop_reply(busy, REPLY.key)
    store.forget_memories(busy, [TWO.id])
    store.remove_objects(busy, ["account"])
    assert state(store, kept) == before
    assert store.claim_reply(kept, REPLY, keep_since=AT - timedelta(days=1)) == REPLY


def test_ids_of_the_other_are_unknown_here(store: Store, pair: tuple[str, str]) -> None:
    here, there = pair
    only = memory("only there", ["account"])
    store.save_objects(there, [replace(ACCOUNT[0], id="elsewhere")])
    store.save_memories(there, [only])
    assert store.show_objects(here, ["elsewhere"]) == ()
    assert store.show_memories(here, [only.id]) == ()
    assert store.forget_memories(here, [only.id]) == ()
    assert store.remove_objects(here, ["elsewhere"]).ids == ()
    asked = replace(QUESTION, intents=scores({only.intent_id: 1.0}), objects=scores({"elsewhere": 1.0}))
    found = store.evidence(here, asked)
    assert "elsewhere" not in found.cosines.ids
    assert only.id not in {each.id for each in found.memories}


@pytest.mark.fault(55)
def test_thousands_of_objects_elsewhere_change_no_score(store: Store, pair: tuple[str, str]) -> None:
    busy, kept = pair
    services = {
        encoder: DiscoveryService(store, CatalogueIndexes(store), encoder, clock=lambda: AT) for encoder in ENCODERS
    }
    questions = ("one", "account of a loan", "amount")

    def told() -> list[object]:
        return [
            store.evidence(kept, QUESTION),
            *(replace(it.discover(kept, asked), discovery="") for it in services.values() for asked in questions),
        ]

    services[ENCODERS[1]].reindex(kept)
    before = told()
    words = ("account", "loan", "one", "amount", "of")
    many = [table(f"account {words[n % 5]} {n}") for n in range(EXACT_LIMIT + 100)]
    turned = np.linspace(0, np.pi, len(many))
    matrix = np.stack([np.cos(turned), np.sin(turned), 0 * turned], axis=1).astype(np.float32)
    given = Embeddings(model=MODEL, ids=tuple(it.id for it in many), matrix=matrix)
    store.save_objects(busy, many, embeddings=given)
    assert told() == before
    for service in services.values():  # and of services that know nothing yet
        service.discover(busy, "account of a loan")
    services = {
        encoder: DiscoveryService(store, CatalogueIndexes(store), encoder, clock=lambda: AT) for encoder in ENCODERS
    }
    assert told() == before
