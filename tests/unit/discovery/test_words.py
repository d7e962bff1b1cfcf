"""The tokeniser: identifiers, accents, plurals, and scripts without blanks."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.catalogue import DataObject
from kit.values.terms import grams, words
from services.words import asks_something, fold, full_text, spaced, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("accountId account_id ACCOUNT-ID", ["account", "id"] * 3),
        ("XMLHttpRequest", ["xml", "http", "request"]),
        ("district.A11", ["district", "a", "11"]),
        ("accounts companies addresses", ["account", "company", "address"]),
        ("status class ids is", ["status", "class", "id", "is"]),
        ("Straße ＡＢＣ ﬁnance", ["strasse", "abc", "finance"]),
        ("客户 id", ["客", "户", "客户", "id"]),
        ("ガス ｶﾞｽ", ["ガ", "ス", "ガス"] * 2),
        ("हिन्दी किताब", ["हिन्दी", "किताब"]),
        ("`a|b/c-d AND (", ["a", "b", "c", "d", "and"]),
        ("", []),
        ("\x00 \t…", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_grams_stay_inside_padded_words() -> None:
    assert grams("an id") == [" an", "an ", " an ", " id", "id ", " id "]
    assert grams("a2") == [" a ", " 2 "]
    assert grams("账户表") == ["账", "户", "表", "账户", "户表"]


@given(st.text())
def test_folding_is_stable_and_knows_no_composition(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(st.text())
def test_every_letter_and_digit_is_in_some_word(text: str) -> None:
    wanted = {c for c in fold(text) if c.isalnum()}
    assert wanted <= {c for gram in grams(text) for c in gram}


@pytest.mark.parametrize(("one", "other"), [("café", "cafe"), ("CAFE\u0301", "café"), ("naïve", "NAIVE")])
def test_accents_and_case_fold_away(one: str, other: str) -> None:
    assert words(one) == words(other)
    assert grams(one) == grams(other)


def test_marks_that_make_another_letter_stay() -> None:
    assert fold("が") != fold("か")
    assert fold("ที่") != fold("ที")


def test_full_text_is_table_name_description() -> None:
    column = DataObject(id="t.c", kind="attribute", name="c", description="said", table="t")
    assert full_text(column, "the table") == "the table c said"
    assert full_text(DataObject(id="t", kind="table", name="t")) == "t"


@pytest.mark.parametrize(("text", "asks"), [("the of", False), ('"" ??', False), ("of what price", True), ("表", True)])
def test_function_words_alone_ask_for_nothing(text: str, *, asks: bool) -> None:
    assert asks_something(text) is asks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Deploy of ref_12: FAILED", ["deploy", "of", "ref_12", "failed"]),
        ("naïve ref_12", ["naïve", "ref_12"]),
        ("贷款 id_7", ["贷", "款", "贷款", "id_7"]),
        ("?!", ["?", "!"]),
        (" \t\n", []),
    ],
)
def test_tokens_keep_identifiers_whole_and_leave_only_blanks_without_any(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_a_spaced_text_holds_its_phrases_as_whole_words() -> None:
    assert spaced("Ship it, now!") == " ship it now "
    assert spaced("ship it") in spaced("Please SHIP-it today")
    assert spaced("hip it") not in spaced("Ship it")
