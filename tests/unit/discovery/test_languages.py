"""What is there is found, in whatever script, composition or spelling it is asked for."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from kit.values.terms import words
from services.studies.discovery.tasks import read_domains
from services.words import FUNCTION_WORDS

LEXICAL = [("blend", "default"), ("tfidf", "none"), ("bm25", "none")]


@pytest.fixture
def mixed(either_room: Any) -> Any:
    either_room.save(
        {
            "kh": {"": "客户账户表", "xm": "客户姓名", "kh_id": "客户编号"},
            "dk": {"": "贷款逾期", "je": "贷款金额", "rq": "逾期日期"},
            "kf": {"": "库房地址", "dz": "街道"},
            "café": {"": "where coffee is sold", "name": "its name"},
            "tax": {"": "returns of tax payers", "ATOflg": "", "TFNno": ""},
            "Straße": {"": "addresses", "Länge": "length"},
            "고객": {"": "고객의 주문", "이름": "고객 이름"},
        }
    )
    return either_room


@pytest.mark.parametrize(("retriever", "rule"), LEXICAL)
@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("账户", "kh"),
        ("贷款违约风险", "dk"),
        ("客户的名字", "kh.xm"),
        ("cafe", "café"),
        ("CAFÉ", "café"),
        ("cafe\u0301", "café"),
        ("laenge länge", "Straße.Länge"),
        ("strasse", "Straße"),
        ("이름", "고객.이름"),
        ("ATOflg", "tax.ATOflg"),
    ],
)
def test_it_is_found(mixed: Any, asked: str, wanted: str, retriever: str, rule: str) -> None:
    for form in ("NFC", "NFD"):
        question = unicodedata.normalize(form, asked)
        found = mixed.found(question, retriever=retriever, rule=rule)
        assert wanted in found[:2], found


@pytest.mark.parametrize("asked", ["ato flg", "ATO_FLG", "atoflg", "AtoFlg"])
def test_an_opaque_name_is_found_however_it_is_split(mixed: Any, asked: str) -> None:
    assert mixed.found(asked, kinds=["attribute"])[0] == "tax.ATOflg"


def test_a_chinese_name_ranks_above_an_unrelated_one(mixed: Any) -> None:
    found = mixed.found("账户", limit=200)
    assert found[0] == "kh"
    assert "kf" not in found[: found.index("kh") + 1]


@pytest.mark.parametrize("odd", ["`a|b/c-d AND (", "*:*", "name:(x OR", "'; DROP", "50%_\\", "\U0001f600", "٣ ½ Ⅷ"])
def test_special_characters_are_just_text(mixed: Any, odd: str) -> None:
    mixed.save({"odd": {"": odd, "c": "nothing"}})
    answer = mixed.discovery.discover("w", odd)
    assert not words(odd) or answer.results[0].id == "odd"


def test_one_more_matching_word_never_drops_the_right_column(room: Any, shared: Path) -> None:
    """Every column of a bank whose columns are called A2 to A16: its table, its name, and a word of its description.

    Words that tell nothing apart are left out, and so are other tables' names: they ask for those tables too.
    """
    [domain] = read_domains([shared / "data" / "discovery" / "bird"], names=["financial"])
    bank = domain.catalogue
    room.put(bank.objects, references=bank.references)
    tables = {item.name for item in bank.objects if item.kind == "table"}
    asked = 0
    for item in bank.objects:
        question = f"{item.table} {item.name}"
        if item.kind == "attribute" and item.id in room.found(question):
            for more in set(words(item.description)) - {*words(question), *tables, *FUNCTION_WORDS}:
                asked += 1
                assert item.id in room.found(f"{question} {more}"), more
    assert asked > 100
