"""Reported faults of the kind: it was there and was not found, or was found in the wrong place (`docs/faults.md`)."""

from __future__ import annotations

import unicodedata

import pytest

from spaces import Space, table

RETRIEVERS: dict[str, dict[str, str]] = {  # what each takes to answer from the catalogue alone
    "blend": {},
    "tfidf": {"retriever": "tfidf", "rule": "none"},
    "bm25": {"retriever": "bm25", "rule": "none"},
}
NOISE = [table(f"noise_{n}", f"unrelated numbers, part {n}", value="a value") for n in range(12)]


@pytest.mark.parametrize("asked", ["ATOflg", "ato flg", "atoflg", "ATO_FLG"])
def test_an_opaque_column_is_found_by_its_name_exact_or_split(space: Space, asked: str) -> None:
    space.load(*NOISE, table("policy", "contracts", ATOflg="", ZTPcde=""))
    assert space.found(asked, kinds=["attribute"])[0] == "policy.ATOflg"
    assert "policy.ATOflg" in space.found(asked)[:2]  # a table stands as high as its best column


@pytest.mark.parametrize("name", ["Daniel", "Zürich_2024", "x9"])
def test_a_look_up_knows_no_case(space: Space, name: str) -> None:
    space.load(*NOISE, table("people", **{name: ""}))
    for asked in (name, name.lower(), name.upper()):
        assert space.found(asked)[0] == f"people.{name}"


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_an_exact_identifier_is_the_first_hit(space: Space, retriever: str) -> None:
    names = [f"qx{n:02d}z" for n in range(100)]
    space.load(table("codes", "opaque codes", **{name: f"near {name[:3]}" for name in names}))
    first = [space.found(name, **RETRIEVERS[retriever], limit=1)[0] for name in names]
    assert first == [f"codes.{name}" for name in names]


@pytest.mark.parametrize("more", ["paid", "customer", "monthly", "amount due"])
def test_a_more_specific_question_does_not_lose_the_right_object(space: Space, more: str) -> None:
    described = table("invoice", "bills sent", amount_due="amount due, to be paid monthly by the customer")
    near = [table(f"bill_{n}", "bills of a customer", amount=f"amount {n}", paid="paid or not") for n in range(30)]
    space.load(described, *near)
    for question in ("amount due", f"amount due {more}"):
        assert "invoice.amount_due" in space.found(question, limit=10)


@pytest.mark.parametrize(("asked", "there"), [("贷款违约风险", "贷款逾期"), ("雾凇拼音", "雾凇词库部署")])
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_scripts_without_blanks_are_matched_by_their_parts(
    space: Space, asked: str, there: str, retriever: str
) -> None:
    space.load(*NOISE, table("t1", there), table("t2", "客户信息"))
    assert space.found(asked, **RETRIEVERS[retriever])[0] == "t1"


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_a_part_of_an_unspaced_name_is_enough(space: Space, retriever: str) -> None:
    space.load(table("t1", "", 客户账户表="", 贷款逾期="", 交易流水=""), *NOISE)
    assert space.found("账户", **RETRIEVERS[retriever], kinds=["attribute"])[0] == "t1.客户账户表"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("asked", "there"), [("cafe", "café"), ("café", "cafe"), ("CAFÉ", "café")])
def test_accents_do_not_hide(space: Space, asked: str, there: str, form: str) -> None:
    stored, question = (
        unicodedata.normalize(form, there),
        unicodedata.normalize("NFC" if form == "NFD" else "NFD", asked),
    )
    space.load(*NOISE, table("places", **{stored: ""}))
    assert space.found(question)[0] == f"places.{stored}"
    assert space.objects(q=question) == [f"places.{stored}"]


@pytest.mark.parametrize("odd", ["`a|b/c-d AND (", "the of", '""', "a:b [x] ~2 *", "\\", "'; DROP TABLE x; --", "OR"])
def test_odd_questions_are_answered_or_refused_never_broken(space: Space, odd: str) -> None:
    space.load(*NOISE)
    assert space.call("POST", "/discover", json={"intent": odd}).status_code in {200, 422}
    assert space.call("GET", "/objects", params={"q": odd}).status_code in {200, 422}
    assert space.found("unrelated numbers")


@pytest.mark.parametrize("empty", ["", "   ", "\u3000\t", None, [], {}])
def test_an_empty_question_is_refused_with_a_hint(space: Space, empty: object) -> None:
    space.load(*NOISE)
    reply = space.call("POST", "/discover", json={"intent": empty})
    assert reply.status_code == 422
    assert reply.headers["content-type"].startswith("application/problem+json")
    body = {"intent": empty, "objects": ["noise_1"], "evidence": {"kind": "confirmed"}}
    assert space.call("POST", "/memories", json=body).status_code == 422
    assert space.memories() == []


def test_a_search_without_a_limit_is_bounded_at_every_door(space: Space) -> None:
    wide = [table(f"t{n}", "common", **{f"common_{m}": "a common word" for m in range(100)}) for n in range(20)]
    space.load(*wide)
    assert len(space.found("common word")) == 10
    for path, params in (("/objects", {}), ("/objects", {"q": "common"}), ("/memories", {})):
        page = space.done("GET", path, params=params)
        assert len(page[path.strip("/")]) <= 100
    assert space.call("POST", "/discover", json={"intent": "common", "limit": 1_000_000}).status_code == 422
    assert len(space.done("GET", "/graph", params={"around": "t1", "depth": 4})["nodes"]) <= 500


def test_a_question_right_after_the_import_is_answered(space: Space) -> None:
    space.load(*NOISE, table("policy", "contracts", premium="yearly premium"))
    assert space.found("yearly premium")[:2] == ["policy", "policy.premium"]
    space.load(table("claim", "damages", reserve="money set aside"))
    assert space.found("money set aside")[:2] == ["claim", "claim.reserve"]


def test_scores_fall_and_higher_is_better(space: Space) -> None:
    space.load(*NOISE, table("policy", "contracts", premium="yearly premium"))
    for retriever in RETRIEVERS:
        hits = space.answer("yearly premium or other numbers", limit=20, **RETRIEVERS[retriever])["results"]
        scores = [hit["score"] for hit in hits]
        assert "premium" in hits[0]["name"] + hits[1]["name"]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > scores[-1] >= 0
