"""The lexical arrays: weights by hand, and an index kept by deltas against one made at once."""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.lexical.index import Index, Vocabulary
from services.lexical.weights import Bm25, Cosines, best
from services.words import piece_grams, piece_words


def index_of(texts: Mapping[str, str], *, grams: bool = False) -> Index:
    return Index(Vocabulary(piece_grams if grams else piece_words)).changed(removed=(), texts=texts)


def all_scores(weights: Cosines | Bm25, text: str) -> dict[str, float]:
    found = best(weights.index, weights.scores(text), limit=1_000)
    return dict(zip(found.ids, found.values, strict=True))


def test_cosines_by_hand() -> None:
    index = index_of({"a": "red red car", "b": "blue car", "c": "green"})
    rare, common = log(4 / 2) + 1, log(4 / 3) + 1
    question = {"red": rare, "car": common}
    length = sqrt(rare**2 + common**2)
    for sublinear, tf in ((False, 2.0), (True, 1 + log(2))):
        cosines = Cosines(index, sublinear=sublinear, unseen_count=False)
        a = (question["red"] * tf * rare + common**2) / (length * sqrt((tf * rare) ** 2 + common**2))
        b = common**2 / (length * sqrt(rare**2 + common**2))
        assert all_scores(cosines, "red car violet") == {"a": round(a, 6), "b": round(b, 6)}


def test_terms_never_seen_lengthen_the_question_where_they_count() -> None:
    index = index_of({"a": "red", "b": "blue"})
    shorter = Cosines(index, sublinear=True, unseen_count=False)
    longer = Cosines(index, sublinear=True, unseen_count=True)
    red, unseen = log(3 / 2) + 1, log(3 / 1) + 1
    assert all_scores(shorter, "red violet") == {"a": 1.0}
    assert all_scores(longer, "red violet") == {"a": round(red / sqrt(red**2 + unseen**2), 6)}


def test_bm25_by_hand() -> None:
    bm25 = Bm25(index_of({"a": "red red car", "b": "blue car", "c": "green"}))
    idf = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    norm = 1.5 * (1 - 0.75 + 0.75 * 3 / 2)
    assert all_scores(bm25, "red") == {"a": round(idf * 2 * 2.5 / (2 + norm), 6)}


def test_ties_go_by_id_and_the_limit_holds() -> None:
    index = index_of(dict.fromkeys(("d", "b", "a", "c"), "same text"))
    cosines = Cosines(index, sublinear=True, unseen_count=True)
    assert best(index, cosines.scores("same"), limit=3).ids == ("a", "b", "c")
    assert best(index, cosines.scores("same"), limit=3, keep=lambda item: item > "a").ids == ("b", "c", "d")


@pytest.mark.parametrize("text", ["", "nothing here", "the of"])
def test_an_empty_index_answers_nothing(text: str) -> None:
    index = index_of({})
    assert all_scores(Cosines(index, sublinear=True, unseen_count=True), text) == {}
    assert all_scores(Bm25(index), text) == {}


SOME = ["red", "redder", "blue", "car", "客户表", "account_id", "the", "A2", "Zürich"]
TEXT = st.lists(st.sampled_from(SOME), max_size=6).map(" ".join)
STEP = st.tuples(st.lists(st.sampled_from("abcdef"), max_size=2), st.dictionaries(st.sampled_from("abcdef"), TEXT))


@given(st.lists(STEP, max_size=6), TEXT, st.booleans(), st.randoms(use_true_random=False))
def test_deltas_give_the_very_scores_of_an_index_made_at_once(
    steps: list[tuple[list[str], dict[str, str]]], question: str, grams: bool, random: object
) -> None:
    index, texts = index_of({}, grams=grams), dict[str, str]()
    for removed, put in steps:
        index = index.changed(removed=removed, texts=put)
        texts = {item: text for item, text in texts.items() if item not in removed} | put
    order = sorted(texts)
    random.shuffle(order)  # type: ignore[attr-defined]
    fresh = index_of({item: texts[item] for item in order}, grams=grams)
    assert index.size == fresh.size == len(texts)
    for make in (lambda i: Cosines(i, sublinear=grams, unseen_count=grams), Bm25):
        assert all_scores(make(index), question) == all_scores(make(fresh), question)
    assert np.all(index.counts > 0)


def test_an_index_is_a_value() -> None:
    before = index_of({"a": "red", "b": "blue"})
    cosines = Cosines(before, sublinear=True, unseen_count=True)
    answer = all_scores(cosines, "red blue")
    before.changed(removed=["a"], texts={"b": "red", "c": "blue"})
    assert all_scores(cosines, "red blue") == answer
