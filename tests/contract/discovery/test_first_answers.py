"""The first answers of a workspace on every back end: right after an import, best first."""

from __future__ import annotations

import pytest

from kit.values.spaces import Space, table

NOISE = [table(f"noise_{n}", f"unrelated numbers, part {n}", value="a value") for n in range(12)]


@pytest.mark.fault(57)
def test_a_question_right_after_the_import_is_answered(space: Space) -> None:
    space.load(*NOISE, table("policy", "contracts", premium="yearly premium"))
    assert space.found("yearly premium")[:2] == ["policy", "policy.premium"]
    space.load(table("claim", "damages", reserve="money set aside"))
    assert space.found("money set aside")[:2] == ["claim", "claim.reserve"]


@pytest.mark.fault(50)
def test_scores_fall_and_higher_is_better(space: Space) -> None:
    space.load(*NOISE, table("policy", "contracts", premium="yearly premium"))
    for retriever in ({}, {"retriever": "tfidf", "rule": "none"}):
        hits = space.answer("yearly premium or other numbers", limit=20, **retriever)["results"]
        scores = [hit["score"] for hit in hits]
        assert "premium" in hits[0]["name"] + hits[1]["name"]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > scores[-1] >= 0
