"""The plain form: JSON that comes back as the value it was, and a strict decoder that names what is wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta, timezone
from typing import Any

import pytest

from graph.chunks import Chunk
from graph.feedback import Discovery, Trial
from graph.memories import Memory, OutcomeEvidence
from graph.plain import CHUNK, DISCOVERY, MEMORY, PREMISE, Form, Malformed
from graph.premises import Premise
from kit.values.samples import AT

OUTCOME = OutcomeEvidence(kind="confirmed", outcome="success", at=AT, state="confirmed", request="r")
KEPT = Memory(
    id="m_1",
    intent_id="i_1",
    intent="loans by Ånge",
    objects=("loan", "loan.amount"),
    state="confirmed",
    created_at=AT,
    last_used_at=AT,
    evidence=(OUTCOME, replace(OUTCOME, request=None, note="two")),
    revision=3,
)
ASKED = Discovery(
    id="d_1", intent="x", retriever="blend", rule="default", results=("a", "b"), at=AT, trials=(
        Trial(rule="none", results=("b",)), Trial(rule="default", results=(), without="m_1"),
    ),
)  # fmt: skip
CASES: list[tuple[Form[Any], object]] = [
    (MEMORY, KEPT),
    (DISCOVERY, ASKED),
    (CHUNK, Chunk(id="c", text="x", tokens=2, position=4, archived_at=AT)),
    (CHUNK, Chunk(id="c", text="x", tokens=2, position=0)),
    (PREMISE, Premise(chunk="b", premise="a", grade="observed", belief=0.25, reasons=("it comes earlier",))),
]


@pytest.mark.parametrize(("form", "value"), CASES)
def test_both_decoders_give_the_value_back(form: Form[Any], value: object) -> None:
    text = json.dumps(form.encode(value))
    assert form.decode(json.loads(text)) == value
    assert form.check(json.loads(text)) == value


def test_instants_of_any_zone_have_one_form() -> None:
    east = replace(KEPT, created_at=AT.astimezone(timezone(timedelta(hours=5, minutes=30))))
    assert MEMORY.encode(east) == MEMORY.encode(KEPT)
    assert MEMORY.encode(KEPT)["created_at"] == "2026-02-03T04:05:06.789012Z"


def test_what_is_derived_is_left_out_and_may_be_given() -> None:
    plain = MEMORY.but("id").encode(replace(KEPT, missing=("loan",)))
    assert not plain.keys() & {"id", "missing"}
    assert MEMORY.but("id").decode(json.loads(json.dumps(plain)), id="m_1") == KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    name: str
    note: str | None = None


def test_a_field_that_was_added_has_its_default_in_what_was_written_before() -> None:
    plain = Form(Before).encode(Before(name="x"))
    assert Form(After).decode(dict(plain)) == After(name="x")
    with pytest.raises(Malformed, match="`note` is missing"):
        Form(After).check(plain)


@pytest.mark.parametrize(
    ("form", "value", "fields", "reason"),
    [
        (MEMORY, KEPT, {"intent": 7}, "`intent` is not text"),
        (MEMORY, KEPT, {"intent": "\udc00"}, "`intent` holds half of a surrogate pair"),
        (MEMORY, KEPT, {"statement": 7}, "`statement` is not text"),
        (MEMORY, KEPT, {"revision": 0}, "`revision` is no whole number from 1 on"),
        (MEMORY, KEPT, {"objects": ["a", 1]}, "`objects` is not text"),
        (MEMORY, KEPT, {"evidence": [7]}, "it is not a JSON object"),
        (MEMORY, KEPT, {"created_at": "2026-02-03"}, "`created_at` is no instant with a zone"),
        (MEMORY, KEPT, {"created_at": "0001-01-01T00:00:00+10:00"}, "`created_at` is no instant with a zone"),
        (MEMORY, KEPT, {"missing": []}, "fields that are not known: missing"),
        (CHUNK, CASES[2][1], {"tokens": 0}, "`tokens` is no whole number from 1 on"),
        (CHUNK, CASES[2][1], {"kind": "said"}, "`kind` is none of message, call, result, thought, system, note"),
        (CHUNK, CASES[2][1], {"role": "critic"}, "`role` is none of user, assistant, tool, system"),
        (CHUNK, CASES[2][1], {"pinned": 0}, "`pinned` is neither true nor false"),
        (CHUNK, CASES[2][1], {"importance": 1.5}, "`importance` is no number within 0 and 1"),
        (CHUNK, CASES[2][1], {"importance": True}, "`importance` is no number within 0 and 1"),
        (PREMISE, CASES[4][1], {"belief": -0.1}, "`belief` is no number within 0 and 1"),
        (PREMISE, CASES[4][1], {"grade": "sure"}, "`grade` is none of declared, observed, inferred"),
    ],
)
def test_what_is_wrong_is_named(form: Form[Any], value: object, fields: dict[str, object], reason: str) -> None:
    plain = json.loads(json.dumps(form.encode(value))) | fields
    with pytest.raises(Malformed, match=reason):
        form.check(plain)
