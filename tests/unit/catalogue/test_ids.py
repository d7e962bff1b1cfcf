"""Ids made from dotted names: taken apart again to the same parts, and never one id for two names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.catalogue.ids import make_id, split_id

PARTS = st.lists(st.text(alphabet='ab." é顧', min_size=1, max_size=5), min_size=1, max_size=3)


@given(PARTS)
def test_what_was_put_together_comes_apart(parts: list[str]) -> None:
    assert split_id(make_id(parts)) == tuple(parts)


@given(PARTS, PARTS)
def test_two_names_never_make_one_id(one: list[str], other: list[str]) -> None:
    assert (make_id(one) == make_id(other)) == (one == other)


@pytest.mark.parametrize("text", ["", ".", "a..b", ".a", 'a"b', '"a', '"a"b', 'a."', '""'])
def test_a_text_that_is_no_dotted_name_is_one_part(text: str) -> None:
    assert split_id(text) == (text,)
