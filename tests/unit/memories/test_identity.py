"""When two memories are the same memory."""

from __future__ import annotations

import pytest

from graph.errors import InvalidInput
from services.identity import make_intent_id, make_memory_id, normal_intent, normal_objects


@pytest.mark.parametrize("intent", ["Café sales", "Café  sales", "\tCafé\nsales ", "Cafe\u0301 sales"])
def test_blanks_and_composition_make_no_other_intent(intent: str) -> None:
    assert normal_intent(intent) == "Café sales"


@pytest.mark.parametrize("other", ["Acme Ledger 2024", "acme ledger 2023", "Acme Ledger v2023", "Acme Ledger 2023."])
def test_names_that_differ_in_a_number_a_case_or_a_mark_stay_apart(other: str) -> None:
    assert make_intent_id(normal_intent("Acme Ledger 2023")) != make_intent_id(normal_intent(other))


@pytest.mark.parametrize("intent", ["", "  ", "\u200b", "\n", "a\x00b", "\ud800", None, 5, ["a"], "x" * 10_001])
def test_what_says_nothing_or_cannot_be_kept_is_no_intent(intent: object) -> None:
    with pytest.raises(InvalidInput):
        normal_intent(intent)


def test_objects_count_once_and_in_any_order() -> None:
    assert normal_objects(["b", "a", "b"]) == ("a", "b")
    assert make_memory_id("x", ("a", "b")) == make_memory_id("x", ("b", "a"))


def test_no_joining_of_parts_makes_two_memories_one() -> None:
    assert make_memory_id("x", ("a", "b")) != make_memory_id("x", ("a,b",))
    assert make_memory_id("x", ('a","b',)) != make_memory_id("x", ("a", "b"))
    assert make_memory_id('x",["a', ("b",)) != make_memory_id("x", ("a", "b"))


@pytest.mark.parametrize("objects", [[], [""], [None], [5], ["a\x00"], [f"o{n}" for n in range(1_001)]])
def test_what_names_no_object_is_refused(objects: list[object]) -> None:
    with pytest.raises(InvalidInput):
        normal_objects(objects)
