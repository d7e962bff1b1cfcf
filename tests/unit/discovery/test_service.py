"""The discovery service: what it asks of a store, what it answers where something is missing, and that parts add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from graph.embeddings import FloatArray
from graph.errors import EncoderUnavailable, InvalidInput, NotFound, StoreUnavailable, UnknownWorkspace
from services.discovery.arms import PAIRS

PLANS = [(retriever, rule) for retriever, rules in PAIRS.items() for rule in rules]
QUESTION = "which customer ordered most in euro"


def teach(shop: Any) -> None:
    shop.remember("who ordered what", "customer", "customer.name", "orders", "orders.customer_id")
    shop.remember("turnover by city", "customer", "customer.city", "orders", "orders.total")
    shop.remember("colours we sell", "product", "product.colour", kind=None)


def hits(answer: Any) -> list[Any]:
    return [(hit.id, round(hit.score, 9), hit.registry, hit.memory, hit.memories) for hit in answer.results]


def test_a_warm_question_is_one_read(shop: Any) -> None:
    teach(shop)
    first = shop.discovery.discover("w", QUESTION)
    shop.store.calls.clear()
    assert hits(shop.discovery.discover("w", QUESTION)) == hits(first)
    assert shop.store.calls == {"evidence": 1}


@pytest.mark.parametrize(("retriever", "rule"), PLANS)
def test_parts_sum_to_the_score_and_shares_to_the_memory_part(shop: Any, retriever: str, rule: str) -> None:
    teach(shop)
    if retriever == "neural" and shop.encoder is None:
        with pytest.raises(EncoderUnavailable):
            shop.discovery.discover("w", QUESTION, retriever=retriever, rule=rule)
        return
    answer = shop.discovery.discover("w", QUESTION, retriever=retriever, rule=rule)
    assert (answer.retriever, answer.rule) == (retriever, rule)
    assert answer.results
    scores = [round(hit.score, 9) for hit in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0
    for hit in answer.results:
        assert hit.registry + hit.memory == pytest.approx(hit.score, abs=1e-9)
        assert sum(voice.share for voice in hit.memories) == pytest.approx(hit.memory, abs=1e-9)
        if rule in ("none", "names", "naive"):
            assert hit.memory == 0


@pytest.mark.parametrize("question", [QUESTION, "colour", "price of a product"])
def test_over_an_empty_memory_default_is_none(shop: Any, question: str) -> None:
    plain = shop.discovery.discover("w", question, rule="none")
    assert hits(plain) == hits(shop.discovery.discover("w", question))
    teach(shop)
    assert hits(plain) == hits(shop.discovery.discover("w", question, rule="none"))
    assert hits(plain) == hits(shop.discovery.discover("w", question, use_memory=False))
    if question == QUESTION:
        assert hits(plain) != hits(shop.discovery.discover("w", question))


@pytest.mark.parametrize(("retriever", "rule"), [("tfidf", "eq1"), ("bm25", "eq1"), ("blend", "default")])
def test_a_retriever_without_a_rule_takes_its_best(shop: Any, retriever: str, rule: str) -> None:
    teach(shop)
    named = shop.discovery.discover("w", QUESTION, retriever=retriever, rule=rule)
    answer = shop.discovery.discover("w", QUESTION, retriever=retriever)
    assert answer.rule == rule
    assert hits(answer) == hits(named)


def test_a_memory_lifts_what_served(shop: Any) -> None:
    question = "best spenders per town"
    before = shop.found(question)
    assert "customer.city" not in before[:3]
    shop.remember("best spenders per town last year", "customer", "customer.city", "orders", "orders.total")
    assert {"customer.city", "orders.total"} <= set(shop.found(question)[:5])
    voices = {hit.id: hit.memories for hit in shop.discovery.discover("w", question).results}
    assert [voice.intent for voice in voices["customer.city"]] == ["best spenders per town last year"]


def test_another_s_write_is_seen_by_the_next_question(shop: Any) -> None:
    shop.found(QUESTION)
    shop.save({"warehouse": {"": "where stock lies", "shelf": "shelf number"}})  # behind the service's back
    shop.store.calls.clear()
    assert shop.found("shelf number")[0] in ("warehouse", "warehouse.shelf")
    assert shop.store.calls["evidence"] == 2
    memory = shop.remember("shelf number of a colour", "warehouse", "warehouse.shelf", "product.colour")
    spoke = {hit.id: hit.memories for hit in shop.discovery.discover("w", "shelf number").results}
    assert [voice.id for voice in spoke["product.colour"]] == [memory]
    shop.store.remove_objects("w", ["warehouse"])
    assert not {"warehouse", "warehouse.shelf"} & set(shop.found("shelf number"))


def test_expectations_are_made_anew_when_the_catalogue_moves(shop: Any) -> None:
    teach(shop)
    shop.found(QUESTION)
    shop.save({"refund": {"": "money back to a customer", "euro": "amount in euro"}})
    shop.found(QUESTION)
    shop.store.calls.clear()
    warm = shop.discovery.discover("w", QUESTION)
    assert shop.store.calls == {"evidence": 1}
    fresh = shop.service(shop.encoder).discover("w", QUESTION)
    assert hits(warm) == hits(fresh)


def test_who_may_only_read_gets_the_same_answer_and_keeps_nothing(shop: Any) -> None:
    for n in range(40):  # more than ten near memories, most of which the registry would not have supported
        shop.remember(f"which customer ordered {n} in euro", "product", ("product.colour", "product.price")[n % 2])
    teach(shop)
    shop.store.calls.clear()
    reading = shop.discovery.discover("w", QUESTION, may_write=False)
    assert not shop.store.calls["save_expectations"]
    writing = shop.discovery.discover("w", QUESTION)
    assert shop.store.calls["save_expectations"]
    settled = shop.discovery.discover("w", QUESTION)
    assert hits(reading) == hits(writing) == hits(settled)


def test_the_order_of_learning_does_not_matter(make_room: Callable[..., Any], gram_encoder: Any) -> None:
    tables = {f"t{n}": {"": f"thing {n}", "name": f"name of thing {n}", "size": "size"} for n in range(6)}
    lessons = [(f"how is thing {n} called", f"t{n}", f"t{n}.name") for n in range(6)]
    answers = []
    for turn in (1, -1):
        room = make_room(gram_encoder)
        for name in list(tables)[::turn]:
            room.save({name: tables[name]})
        for intent, *objects in lessons[::turn]:
            room.remember(intent, *objects)
            room.found("size of thing 4")  # arrays and expectations come about in another order each time
        answers.append(hits(room.discovery.discover("w", "how are thing 2 and thing 3 called")))
    assert answers[0] == answers[1]


def test_upkeep_leaves_nothing_for_the_question_to_make(shop: Any) -> None:
    teach(shop)
    assert shop.discovery.refresh("w", limit=2) == 2
    assert shop.discovery.refresh("w", limit=9) == 1
    assert shop.discovery.refresh("w", limit=9) == 0
    shop.store.calls.clear()
    shop.found(QUESTION)
    assert not shop.store.calls["save_expectations"]


def test_reindexing_embeds_what_has_no_embedding(make_room: Callable[..., Any], gram_encoder: Any) -> None:
    room = make_room()
    room.save({"customer": {"": "who buys", "name": "full name"}})
    room.remember("name of the customer", "customer", "customer.name")
    service = room.service(gram_encoder)
    before = service.discover("w", "customer name")
    assert any("2 objects have no embedding" in note for note in before.degraded)
    seen: list[int] = []
    done = service.reindex("w", progress=lambda count, _total: seen.append(count))
    assert (done.objects, done.intents, done.expectations) == (2, 1, 1)
    assert seen
    assert service.discover("w", "customer name").degraded == ()
    assert service.discover("w", "customer name", retriever="neural", rule="none").results


class BrokenEncoder:
    """An encoder that fails after its first `good` calls."""

    name = "grams-32"

    def __init__(self, whole: Any, *, good: int) -> None:
        self._whole, self._good = whole, good

    def encode(self, texts: Sequence[str]) -> FloatArray:
        self._good -= 1
        if self._good < 0:
            raise EncoderUnavailable("the encoder", found="a damaged file", hint="Install it again")
        return np.asarray(self._whole.encode(texts))


@pytest.mark.parametrize("good", [0, 1])
def test_a_broken_model_never_blocks(make_room: Callable[..., Any], gram_encoder: Any, good: int) -> None:
    room = make_room()
    room.save({"customer": {"": "who buys", "name": "full name"}})
    room.remember("name of the customer", "customer", "customer.name")
    by_words = room.service(None, missing="no encoder here").discover("w", "customer name")
    assert by_words.degraded == ("no encoder here",)
    broken = room.service(BrokenEncoder(gram_encoder, good=good))
    answer = broken.discover("w", "customer name")
    assert [hit.id for hit in answer.results] == [hit.id for hit in by_words.results]
    assert answer.degraded
    assert broken.discover("w", "customer name", retriever="tfidf", rule="eq1").degraded == ()


def test_a_store_that_does_not_answer_is_an_error_and_no_empty_answer(shop: Any) -> None:
    def unavailable(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("evidence", found="no answer", hint="Ask again later")

    shop.found(QUESTION)
    shop.store.evidence = unavailable
    with pytest.raises(StoreUnavailable):
        shop.discovery.discover("w", QUESTION)


def test_recording_an_answer_never_fails_it(shop: Any) -> None:
    answer = shop.discovery.discover("w", QUESTION)
    shop.discovery.record("w", answer)
    assert shop.store.calls["record_discovery"] == 1
    shop.discovery.record("elsewhere", answer)
    assert shop.discovery.discover("w", QUESTION).discovery != answer.discovery


@pytest.mark.parametrize("intent", ["", "  ", "\n\t", "\u200b"])
def test_an_empty_intent_is_refused(shop: Any, intent: str) -> None:
    with pytest.raises(InvalidInput):
        shop.discovery.discover("w", intent)


@pytest.mark.parametrize("intent", ["the of", '""', "what is it?", "`|/-("])
def test_function_words_alone_bring_nothing_irrelevant(shop: Any, intent: str) -> None:
    answer = shop.discovery.discover("w", intent)
    assert answer.results == ()
    assert answer.degraded
    shop.save({"route": {"": "a way", "to": "where it ends"}})
    assert shop.found("to")[0] == "route.to"


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_the_limit_is_bounded(shop: Any, limit: int) -> None:
    with pytest.raises(InvalidInput, match="200"):
        shop.discovery.discover("w", QUESTION, limit=limit)


def test_a_common_word_among_many_keeps_the_limit(shop: Any) -> None:
    shop.save({f"t{n}": {"": "common things", "common": "common"} for n in range(1_500)})
    for retriever, rule in PLANS:
        if rule != "memory" and (retriever != "neural" or shop.encoder is not None):
            assert len(shop.found("common", retriever=retriever, rule=rule)) == 10
            assert len(shop.found("common", retriever=retriever, rule=rule, limit=200)) <= 200


def test_kinds_narrow_the_answer(shop: Any) -> None:
    tables = shop.discovery.discover("w", QUESTION, kinds=["table"]).results
    assert {hit.kind for hit in tables} == {"table"}
    columns = shop.discovery.discover("w", QUESTION, kinds=["attribute"], retriever="bm25", rule="none").results
    assert {hit.kind for hit in columns} == {"attribute"}
    with pytest.raises(InvalidInput, match="attribute"):
        shop.discovery.discover("w", QUESTION, kinds=["view"])


def test_an_unknown_workspace_is_named(shop: Any) -> None:
    with pytest.raises(UnknownWorkspace, match="elsewhere"):
        shop.discovery.discover("elsewhere", QUESTION)
    with pytest.raises(NotFound):
        shop.discovery.discover("elsewhere", "the of")


def test_feedback_on_embeddings_says_when_the_store_does_not_answer(
    make_room: Callable[..., Any], gram_encoder: Any
) -> None:
    room = make_room(gram_encoder)
    room.save({"customer": {"": "who buys", "name": "full name"}})
    room.remember("name of the customer", "customer", "customer.name")
    how = {"retriever": "neural", "rule": "rocchio"}
    room.found("customer name", **how)
    room.store.calls.clear()
    moved = room.discovery.discover("w", "customer name", **how)
    assert room.store.calls == {"evidence": 1, "show_embeddings": 1}
    assert hits(moved) != hits(room.discovery.discover("w", "customer name", retriever="neural", rule="none"))

    def unavailable(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("embeddings", found="no answer", hint="Ask again later")

    room.store.show_embeddings = unavailable
    with pytest.raises(StoreUnavailable):
        room.discovery.discover("w", "customer name", **how)


def test_a_question_of_many_memories_is_one_read_from_the_start(
    make_room: Callable[..., Any], gram_encoder: Any
) -> None:
    """A service that has never seen the memories' intents reads their vectors with the evidence."""
    room = make_room(gram_encoder)
    room.save({"customer": {"": "who buys", "name": "full name", "city": "town"}})
    for n in range(12):
        room.remember(f"name of customer {n}", "customer", "customer.name")
    first = room.discovery.discover("w", "name of a customer")
    fresh = room.service(gram_encoder)
    room.store.calls.clear()
    assert hits(fresh.discover("w", "name of a customer")) == hits(first)
    assert room.store.calls == {"evidence": 1}


def codes(room: Any, *, count: int) -> list[tuple[str, tuple[str, ...]]]:
    """A catalogue whose names say nothing, and questions with what each needs, all confirmed."""
    room.save({f"t_{n:02}": {f"c{n}{m}": "" for m in range(4)} for n in range(count)})
    nouns = (
        "harbour",
        "invoice",
        "patient",
        "orchard",
        "satellite",
        "tariff",
        "violin",
        "glacier",
        "subscription",
        "loom",
    )
    asked: list[tuple[str, tuple[str, ...]]] = [
        (f"how many {nouns[n % 10]}s were there in year {n}", (f"t_{n:02}", f"t_{n:02}.c{n}2")) for n in range(count)
    ]
    for intent, objects in asked:
        room.remember(intent, *objects, kind="confirmed")
    return asked


def test_in_a_catalogue_of_codes_a_confirmed_question_asked_again_leads(either_room: Any) -> None:
    for intent, objects in codes(either_room, count=8):
        answer = either_room.discovery.discover("w", intent)
        assert {hit.id for hit in answer.results[:2]} == set(objects)
        for hit in answer.results:
            assert hit.registry + sum(voice.share for voice in hit.memories) == pytest.approx(hit.score, abs=1e-9)
    # in other words, with all but the noun and the year changed
    assert set(either_room.found("the invoices of year 1")[:2]) == {"t_01", "t_01.c12"}


def test_the_latest_memories_are_read_once(either_room: Any) -> None:
    """A service that has seen none reads them with its first answer, and then no more than are new."""
    asked = codes(either_room, count=70)
    either_room.found(asked[0][0])
    fresh, learned = either_room.service(either_room.encoder), []
    gather = either_room.store._store.evidence

    def listening(workspace: str, question: Any) -> Any:
        found = gather(workspace, question)
        learned.append(len(found.learned))
        return found

    either_room.store.evidence = listening
    first = [hits(fresh.discover("w", intent)) for intent, _ in asked[:3]]
    assert learned == [60, 0, 0]
    assert first == [hits(either_room.service(either_room.encoder).discover("w", intent)) for intent, _ in asked[:3]]
    learned.clear()
    either_room.memories.remember("w", "a new question", ["t_00"])
    fresh.discover("w", asked[0][0])
    assert max(learned) <= 1
