"""The evidence for a question, to the letter: what a store answers equals what `expected` computes.

Vectors are hand-made, so that every cosine is a short decimal and all figures hold to nine decimals.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from graph.evidence import DiscoveryEvidence, Expectation, Question, Scores
from graph.store import Store
from kit.oracles import expected
from kit.values.samples import AT, BANK, MODEL, embeddings, intent_id, memory, scores, unit

OBJECT_VECTORS = {"account": "x", "account.A2": "xy", "account.id": "xy", "loan": "-x", "loan.amount": "z"}
INTENT_VECTORS = {"near": "xy", "twin": "xy", "side": "y", "back": "-x", "wide": "yx"}
YEAR = timedelta(days=365)
MEMORIES = (
    memory("near", ["account", "account.A2"], successes=3, failures=1),
    memory("near", ["loan.amount"], state="proposed", successes=0),
    memory("twin", ["loan"], successes=5),
    memory("side", ["loan.account_id", "loan.amount"], created_at=AT + YEAR, last_used_at=AT + YEAR),
    memory("back", ["account.id"], created_at=AT + timedelta(microseconds=1)),
    memory("wide", ["loan", "loan.amount"], state="refuted", successes=1, failures=2),
    memory("bare", ["account.id", "loan"], state="proposed", successes=2, failures=2),
    memory("lost", ["account", "nowhere"]),
)
LEXICAL = {"near": 0.7, "twin": 0.7, "side": 0.2, "bare": 0.55, "wide": 0.9, "lost": 1.0, "unknown": 0.8}
INTENTS = scores({intent_id(intent): value for intent, value in LEXICAL.items()})
OBJECTS = scores({"loan": 1.0, "loan.account_id": 0.4, "account.id": 0.4})
VECTOR: dict[str, Any] = {"vector": unit("x"), "model": MODEL}

QUESTIONS: dict[str, Question] = {
    "nothing": Question(),
    "words": Question(objects=OBJECTS, intents=INTENTS),
    "words-no-memory": Question(objects=OBJECTS, intents=INTENTS, use_memory=False),
    "neural": Question(objects=OBJECTS, similarity="neural", **VECTOR),
    "neural-no-memory": Question(objects=OBJECTS, similarity="neural", use_memory=False, **VECTOR),
    "neural-from-the-side": Question(vector=unit("yz"), model=MODEL, similarity="neural"),
    "mean": Question(objects=OBJECTS, intents=INTENTS, similarity="mean", **VECTOR),
    "mean-without-words": Question(similarity="mean", **VECTOR),
    "mean-without-vector": Question(intents=INTENTS, similarity="mean"),
    "words-beside-vector": Question(intents=INTENTS, similarity="lexical", **VECTOR),
    "limit-1": Question(intents=INTENTS, memory_limit=1, top_k=1, **VECTOR),
    "limit-2-top-0": Question(intents=INTENTS, memory_limit=2, top_k=0, **VECTOR),
    "limit-0-top-2": Question(intents=INTENTS, memory_limit=0, top_k=2, **VECTOR),
    "limit-1-top-3": Question(intents=INTENTS, memory_limit=1, top_k=3, similarity="mean", **VECTOR),
    "default": Question(intents=INTENTS, similarity="mean", memory_limit=30, top_k=0, latest=60, form="f", **VECTOR),
    "latest-3": Question(latest=3, form="f"),
    "latest-of-none": Question(latest=3, use_memory=False, form="f"),
    "latest-in-another-form": Question(latest=60, form="g"),
    "one-vector-candidate": Question(similarity="neural", vector_limit=1, use_memory=False, **VECTOR),
    "two-vector-candidates": Question(similarity="neural", vector_limit=2, use_memory=False, **VECTOR),
    "nearest-only": Question(objects=OBJECTS, intents=INTENTS, vector_limit=2, nearest_only=True, **VECTOR),
    "no-vector-candidates": Question(objects=OBJECTS, vector_limit=0, use_memory=False, **VECTOR),
    "two-years-later": Question(intents=INTENTS, today=AT.date() + timedelta(days=730)),
    "on-the-day": Question(intents=INTENTS, today=AT.date()),
    "before-its-time": Question(intents=INTENTS, today=AT.date() - timedelta(days=90)),
    "expected": Question(intents=INTENTS, form="f"),
    "expected-in-another-form": Question(intents=INTENTS, form="g"),
}

EXPECTATIONS = {
    each.id: Expectation(memory=each.id, objects=("loan", "account"), scores=(0.9, 1 / 3), support=support)
    for each, support in zip(MEMORIES, (0.25, 0.5, 0.0, 1.0, 0.123456789, 0.4, 0.3, 0.2), strict=True)
    if each.intent not in {"twin", "lost"}
}


@pytest.fixture
def world(store: Store, workspace: str) -> str:
    stamp = store.save_objects(workspace, BANK, embeddings=embeddings(OBJECT_VECTORS)).stamp
    vectors = embeddings({intent_id(intent): name for intent, name in INTENT_VECTORS.items()})
    store.save_memories(workspace, MEMORIES, embeddings=vectors)
    store.save_expectations(workspace, list(EXPECTATIONS.values()), stamp=stamp, form="f")
    return workspace


def known(question: Question, **changes: Any) -> expected.World:
    """What the fixture wrote, with `changes`, as far as it counts for a question."""
    world = expected.World(
        objects=BANK,
        memories=MEMORIES,
        object_vectors={i: unit(name) for i, name in OBJECT_VECTORS.items()},
        intent_vectors={intent_id(intent): unit(name) for intent, name in INTENT_VECTORS.items()},
        expectations=EXPECTATIONS if question.form == "f" else {},
    )
    return replace(world, **changes)


def same_scores(found: Scores, wanted: Scores, *, within: float = 1e-9) -> None:
    assert found.ids == wanted.ids
    assert found.values == pytest.approx(wanted.values, abs=within)


def same(found: DiscoveryEvidence, world: expected.World, question: Question) -> None:
    wanted = expected.memories(world, question)
    assert [m.id for m in found.memories] == [m.id for m in wanted]
    for one, other in zip(found.memories, wanted, strict=True):
        for name in ("similarity", "confidence", "share"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9), (one.intent, name)
        for name in ("id", "intent_id", "intent", "state", "successes", "failures", "objects", "expected"):
            assert getattr(one, name) == getattr(other, name), (one.intent, name)
    assert found.learned == expected.latest(world, question)
    assert found.latest == tuple(it.id for it in found.learned)
    assert not found.partial
    same_scores(found.terms, expected.terms(wanted))
    same_scores(found.cosines, expected.cosines(world, question, wanted))
    assert found.unembedded == expected.unembedded(world, question)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_gets_the_promised_evidence(store: Store, world: str, name: str) -> None:
    found = store.evidence(world, QUESTIONS[name])
    assert found.stamp == store.show_stamp(world)
    same(found, known(QUESTIONS[name]), QUESTIONS[name])


@pytest.mark.parametrize("name", ["words", "neural", "mean", "default"])
def test_gone_objects_are_never_evidence(store: Store, world: str, name: str) -> None:
    store.save_objects(world, [], gone=["account.A2", "loan.amount"])
    objects = [replace(each, gone=each.id in {"account.A2", "loan.amount"}) for each in BANK]
    same(
        store.evidence(world, QUESTIONS[name]),
        known(QUESTIONS[name], objects=objects, expectations={}),
        QUESTIONS[name],
    )


@pytest.mark.parametrize("name", ["words", "neural", "mean", "default", "one-vector-candidate"])
def test_another_models_vectors_are_not_mixed_in(store: Store, world: str, name: str) -> None:
    question = replace(QUESTIONS[name], model="model-b")
    nothing: dict[str, Any] = {"object_vectors": {}, "intent_vectors": {}}
    same(store.evidence(world, question), known(question, **nothing), question)


def test_an_empty_workspace_has_no_evidence(store: Store, workspace: str) -> None:
    for question in QUESTIONS.values():
        found = store.evidence(workspace, question)
        assert found == DiscoveryEvidence(stamp=store.show_stamp(workspace))


def test_unknown_candidates_are_passed_over(store: Store, world: str) -> None:
    question = replace(QUESTIONS["mean"], objects=scores({"nix": 1.0, "loan": 0.5, "": 0.1}))
    same(store.evidence(world, question), known(question), question)


def test_equal_cosines_are_cut_by_id(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, embeddings=embeddings({each.id: "xy" for each in BANK}))
    question = Question(vector_limit=4, use_memory=False, **VECTOR)
    found = store.evidence(workspace, question)
    assert found.cosines.ids == tuple(sorted(each.id for each in BANK))[:4]


def test_equal_memories_are_cut_by_id(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    many = [memory(f"question {number}", ["loan"]) for number in range(30)]
    store.save_memories(workspace, many)
    question = Question(intents=scores({m.intent_id: 0.5 for m in many}))
    found = store.evidence(workspace, question)
    assert [m.id for m in found.memories] == sorted(m.id for m in many)[:10]
    assert [m.share > 0 for m in found.memories] == [True] * 5 + [False] * 5
    assert found.terms.values == pytest.approx((5 * 0.25,), abs=1e-9)


def test_similarities_of_any_size_are_exact(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    alike = {"tiny": 1e-12, "third": 1 / 3, "pi": math.pi / 4, "one": 1.0}
    memories = [memory(intent, ["loan", "account"]) for intent in alike]
    store.save_memories(workspace, memories)
    question = Question(intents=scores({intent_id(intent): value for intent, value in alike.items()}))
    same(store.evidence(workspace, question), expected.World(objects=BANK, memories=memories), question)


def test_an_unused_memory_ages_and_a_used_one_does_not(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    later = AT + timedelta(days=730)
    made = [memory("near", ["loan"]), memory("side", ["account"], last_used_at=later)]
    store.save_memories(workspace, made)
    asked = Question(intents=scores({intent_id("near"): 0.5, intent_id("side"): 0.5}), today=later.date())
    found = {each.intent: each.confidence for each in store.evidence(workspace, asked).memories}
    assert found == {"near": pytest.approx(0.25), "side": 1.0}


def test_of_the_latest_that_are_held_only_the_ids_come(store: Store, world: str) -> None:
    asked = Question(latest=60, form="f")
    everything = store.evidence(world, asked)
    assert [it.intent for it in everything.learned][:2] == ["side", "back"]
    held = (everything.latest[0], everything.latest[2], "m_nowhere")
    found = store.evidence(world, replace(asked, held_latest=held))
    assert found.latest == everything.latest
    assert found.learned == tuple(it for it in everything.learned if it.id not in held)


def test_the_intents_vectors_come_with_their_memories_where_they_are_asked_for(store: Store, world: str) -> None:
    asked = Question(intents=INTENTS, held_vectors=(), memory_limit=20, **VECTOR)
    found = {memory.intent: memory.vector for memory in store.evidence(world, asked).memories}
    assert {intent for intent, vector in found.items() if vector is not None} == {"near", "twin", "side"}
    held = store.evidence(world, replace(asked, held_vectors=(intent_id("near"), intent_id("nowhere")))).memories
    assert {memory.intent for memory in held if memory.vector is not None} == {"twin", "side"}
    for intent, vector in found.items():
        if vector is not None:
            assert vector.dtype == np.float32
            assert (vector == unit(INTENT_VECTORS[intent])).all()
    for question in (replace(asked, held_vectors=None), replace(asked, model="another")):
        assert all(memory.vector is None for memory in store.evidence(world, question).memories)
