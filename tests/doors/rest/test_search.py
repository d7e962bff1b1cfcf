"""Reported faults of the kind: a search broke, or had no bounds, on one back end or another (`docs/faults.md`)."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from kit.values.spaces import Space, table

NOISE = [table(f"noise_{n}", f"unrelated numbers, part {n}", value="a value") for n in range(12)]


@pytest.mark.fault(112)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("asked", "there"), [("cafe", "café"), ("café", "cafe"), ("CAFÉ", "café")])
def test_accents_do_not_hide(space: Space, asked: str, there: str, form: Literal["NFC", "NFD"]) -> None:
    stored, question = (
        unicodedata.normalize(form, there),
        unicodedata.normalize("NFC" if form == "NFD" else "NFD", asked),
    )
    space.load(*NOISE, table("places", **{stored: ""}))
    assert space.found(question)[0] == f"places.{stored}"
    assert space.objects(q=question) == [f"places.{stored}"]


@pytest.mark.fault(64)
@pytest.mark.parametrize("odd", ["`a|b/c-d AND (", "the of", '""', "a:b [x] ~2 *", "\\", "'; DROP TABLE x; --", "OR"])
def test_odd_questions_are_answered_or_refused_never_broken(space: Space, odd: str) -> None:
    space.load(*NOISE)
    assert space.call("POST", "/discover", json={"intent": odd}).status_code in {200, 422}
    assert space.call("GET", "/objects", params={"q": odd}).status_code in {200, 422}
    assert space.found("unrelated numbers")


@pytest.mark.fault(68)
@pytest.mark.parametrize("empty", ["", "   ", "\u3000\t", None, [], {}])
def test_an_empty_question_is_refused_with_a_hint(space: Space, empty: object) -> None:
    space.load(*NOISE)
    reply = space.call("POST", "/discover", json={"intent": empty})
    assert reply.status_code == 422
    assert reply.headers["content-type"].startswith("application/problem+json")
    body = {"intent": empty, "objects": ["noise_1"], "evidence": {"kind": "confirmed"}}
    assert space.call("POST", "/memories", json=body).status_code == 422
    assert space.memories() == []


@pytest.mark.fault(106)
def test_a_search_without_a_limit_is_bounded_at_every_door(space: Space) -> None:
    wide = [table(f"t{n}", "common", **{f"common_{m}": "a common word" for m in range(100)}) for n in range(20)]
    space.load(*wide)
    assert len(space.found("common word")) == 10
    for path, params in (("/objects", {}), ("/objects", {"q": "common"}), ("/memories", {})):
        page = space.done("GET", path, params=params)
        assert len(page[path.strip("/")]) <= 100
    assert space.call("POST", "/discover", json={"intent": "common", "limit": 1_000_000}).status_code == 422
    assert len(space.done("GET", "/graph", params={"around": "t1", "depth": 4})["nodes"]) <= 500
