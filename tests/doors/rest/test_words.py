"""Reported faults of the kind: it was there and was not found, or was found in the wrong place (`docs/faults.md`).

What finds it is arithmetic on words that no store takes part in, so that one back end is enough here.
"""

from __future__ import annotations

import pytest

from kit.values.spaces import Space, table

RETRIEVERS: dict[str, dict[str, str]] = {  # what each takes to answer from the catalogue alone
    "blend": {},
    "tfidf": {"retriever": "tfidf", "rule": "none"},
    "bm25": {"retriever": "bm25", "rule": "none"},
}
NOISE = [table(f"noise_{n}", f"unrelated numbers, part {n}", value="a value") for n in range(12)]


@pytest.mark.fault(46)
@pytest.mark.parametrize("asked", ["ATOflg", "ato flg", "atoflg", "ATO_FLG"])
def test_an_opaque_column_is_found_by_its_name_exact_or_split(space: Space, asked: str) -> None:
    space.load(*NOISE, table("policy", "contracts", ATOflg="", ZTPcde=""))
    assert space.found(asked, kinds=["attribute"])[0] == "policy.ATOflg"
    assert "policy.ATOflg" in space.found(asked)[:2]  # a table stands as high as its best column


@pytest.mark.fault(51)
@pytest.mark.parametrize("name", ["Daniel", "Zürich_2024", "x9"])
def test_a_look_up_knows_no_case(space: Space, name: str) -> None:
    space.load(*NOISE, table("people", **{name: ""}))
    for asked in (name, name.lower(), name.upper()):
        assert space.found(asked)[0] == f"people.{name}"


@pytest.mark.fault(110)
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_an_exact_identifier_is_the_first_hit(space: Space, retriever: str) -> None:
    names = [f"qx{n:02d}z" for n in range(100)]
    space.load(table("codes", "opaque codes", **{name: f"near {name[:3]}" for name in names}))
    first = [space.found(name, **RETRIEVERS[retriever], limit=1)[0] for name in names]
    assert first == [f"codes.{name}" for name in names]


@pytest.mark.fault(47)
@pytest.mark.parametrize("more", ["paid", "customer", "monthly", "amount due"])
def test_a_more_specific_question_does_not_lose_the_right_object(space: Space, more: str) -> None:
    described = table("invoice", "bills sent", amount_due="amount due, to be paid monthly by the customer")
    near = [table(f"bill_{n}", "bills of a customer", amount=f"amount {n}", paid="paid or not") for n in range(30)]
    space.load(described, *near)
    for question in ("amount due", f"amount due {more}"):
        assert "invoice.amount_due" in space.found(question, limit=10)


@pytest.mark.fault(60, 61)
@pytest.mark.parametrize(("asked", "there"), [("贷款违约风险", "贷款逾期"), ("雾凇拼音", "雾凇词库部署")])
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_scripts_without_blanks_are_matched_by_their_parts(
    space: Space, asked: str, there: str, retriever: str
) -> None:
    space.load(*NOISE, table("t1", there), table("t2", "客户信息"))
    assert space.found(asked, **RETRIEVERS[retriever])[0] == "t1"


@pytest.mark.fault(111)
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_a_part_of_an_unspaced_name_is_enough(space: Space, retriever: str) -> None:
    space.load(table("t1", "", 客户账户表="", 贷款逾期="", 交易流水=""), *NOISE)
    assert space.found("账户", **RETRIEVERS[retriever], kinds=["attribute"])[0] == "t1.客户账户表"
