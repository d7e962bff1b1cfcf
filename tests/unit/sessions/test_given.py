"""What people give is checked and counted before a store sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graph.chunks import ChunkKind
from graph.errors import InvalidInput
from graph.premises import Premise
from services.retention.session_arrays import count_tokens
from services.sessions.inputs import GivenChunk, check_premises, chunks_of, declared
from services.sessions.token_counters import COUNTERS, count_quarters, counter_of


def test_the_default_counter_counts_words_and_never_less_than_one() -> None:
    assert counter_of("words") is count_tokens
    assert [count_tokens(text) for text in ("one two  three\n", "贷款违约风险", "")] == [3, 1, 1]


def test_a_named_counter_counts_scripts_without_blanks_too() -> None:
    assert counter_of("bytes") is count_quarters
    assert [count_quarters(text) for text in ("12345", "贷款违约风险", "")] == [2, 5, 1]
    assert set(COUNTERS) == {"words", "bytes"}
    with pytest.raises(InvalidInput, match="words, bytes"):
        counter_of("guess")


def test_tokens_that_are_given_are_taken() -> None:
    given = [GivenChunk(id="a", text="one two", tokens=9), GivenChunk(id="b", text="one two")]
    assert [it.tokens for it in chunks_of(given, counter=count_tokens)] == [9, 2]


def test_an_id_comes_once_or_says_the_same() -> None:
    twice = [GivenChunk(id="a", text="one"), GivenChunk(id="a", text="one")]
    assert len(chunks_of(twice, counter=count_tokens)) == 1
    with pytest.raises(InvalidInput, match="comes twice"):
        chunks_of([*twice, GivenChunk(id="a", text="two")], counter=count_tokens)


def test_premises_are_declared_by_their_chunk() -> None:
    [premise] = declared([GivenChunk(id="a", text="x", premises=("b",)), GivenChunk(id="b", text="y")])
    assert (premise.chunk, premise.premise, premise.grade, premise.weight) == ("a", "b", "declared", 1.0)


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_weight_is_within_zero_and_one(weight: float) -> None:
    with pytest.raises(InvalidInput, match="within 0 and 1"):
        check_premises([Premise(chunk="a", premise="b", weight=weight)])


def test_a_role_that_is_not_given_is_that_of_the_kind() -> None:
    kinds: tuple[ChunkKind, ...] = ("message", "call", "result", "thought", "system", "note")
    made = chunks_of([GivenChunk(id=kind, text="x", kind=kind) for kind in kinds], counter=count_tokens)
    assert [it.role for it in made] == [None, "assistant", "tool", "assistant", "system", None]
    given = GivenChunk(id="r", text="x", kind="result", role="user", call_id="call_1")
    [result] = chunks_of([given], counter=count_tokens)
    assert (result.role, result.call_id) == ("user", "call_1")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kind": "said"}, "kind 'said'.*One of message, call"),
        ({"role": "critic"}, "role 'critic'.*One of user, assistant"),
        ({"kind": "message", "call_id": "c1"}, "call id 'c1' of chunk 'a'.*kinds call and result"),
        ({"kind": "call", "call_id": ""}, "id of a call"),
        ({"kind": "call", "call_id": "c\x00"}, "id of a call"),
    ],
)
def test_a_kind_a_role_or_a_call_id_that_cannot_be_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        chunks_of([replace(GivenChunk(id="a", text="x"), **changes)], counter=count_tokens)
