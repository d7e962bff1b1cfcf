"""Reported faults of the kind: a wrong memory went on to speak (`docs/faults.md`)."""

from __future__ import annotations

import pytest

from kit.values.spaces import Space, table

ORDERS = table("orders", "what customers bought", total="amount in euros", placed_on="day of the order")
STOCK = table("stock", "what lies in the warehouse", pieces="how many", shelf="where")

SALES = table(
    "sales",
    "what was sold by day",
    total="euros sold",
    placed_on="day",
    pieces="how many pieces were sold",
    shop="where it was sold",
)
WAREHOUSE = table(
    "stock",
    "what lies in the warehouse by day",
    pieces="how many pieces lie there",
    counted_on="day",
    shelf="where it lies",
)
SOLD = "SELECT placed_on, shop, SUM(pieces), MAX(total) FROM sales GROUP BY placed_on, shop"


@pytest.mark.fault(41)
def test_a_wrong_memory_weighs_nothing_after_its_failure(space: Space) -> None:
    space.load(ORDERS, STOCK)
    asked = "euros of orders, how many for each day"
    memory = space.remember("euros of orders, how many by day", "stock.pieces", "stock")["id"]
    alone = space.answer(asked, use_memory=False)["results"]
    assert space.answer(asked)["results"] != alone
    space.done("POST", f"/memories/{memory}/feedback", json={"outcome": "failure"})
    space.done("POST", f"/memories/{memory}/feedback", json={"outcome": "failure"})
    assert space.memories()[0]["state"] == "refuted"
    assert space.answer(asked)["results"] == alone


@pytest.mark.fault(41)
def test_a_memory_that_misled_is_refuted_by_outcomes_without_a_persons_word(space: Space) -> None:
    space.load(SALES, WAREHOUSE)
    wrong = space.remember("how many pieces were sold by day", "stock", "stock.pieces", "stock.counted_on")["id"]
    asked = "how many pieces were sold for each day"
    answered = space.answer(asked)
    assert "stock.counted_on" in [hit["id"] for hit in answered["results"][:5]]
    told = {"intent": asked, "sql": SOLD, "discovery": answered["discovery"]}
    space.done("POST", "/learn", json=told)
    misled = space.done("GET", f"/memories/{wrong}")
    assert (misled["state"], misled["evidence"][-1]["kind"]) == ("refuted", "recalled")
    assert misled["evidence"][-1]["discovery"] == answered["discovery"]
    again = space.answer(asked)
    assert "stock.counted_on" not in [hit["id"] for hit in again["results"][:5]]
    assert wrong not in {voice["id"] for hit in again["results"] for voice in hit["memories"]}
    space.done("POST", "/learn", json=told)  # the outcome of one answer counts once
    assert space.done("GET", f"/memories/{wrong}")["failures"] == misled["failures"]


def test_a_memory_that_helped_was_used_and_is_surer(space: Space) -> None:
    space.load(SALES, WAREHOUSE)
    right = space.done("POST", "/learn", json={"intent": "how many pieces were sold by day", "sql": SOLD})["memory"]
    before = space.done("GET", f"/memories/{right}")
    asked = "how many pieces were sold each day"
    told = {"intent": asked, "sql": SOLD, "discovery": space.answer(asked)["discovery"]}
    space.done("POST", "/learn", json=told)
    after = space.done("GET", f"/memories/{right}")
    assert (after["successes"], after["evidence"][-1]["kind"]) == (before["successes"] + 1, "recalled")
    assert after["last_used_at"] > before["last_used_at"]
    assert after["confidence"]["low"] > before["confidence"]["low"]


@pytest.mark.fault(41)
def test_a_statement_that_failed_confirms_nothing(space: Space) -> None:
    space.load(ORDERS, STOCK)
    body = {"intent": "revenue by day", "sql": "SELECT shelf FROM stock", "succeeded": False}
    space.done("POST", "/learn", json=body)
    assert space.memories() == []
    space.done("POST", "/learn", json={**body, "succeeded": True})
    assert space.memories()[0]["state"] == "confirmed"
    space.done("POST", "/learn", json=body)
    assert space.memories()[0]["state"] == "refuted"
    evidence = space.done("GET", f"/memories/{space.memories()[0]['id']}")["evidence"]
    assert [item["outcome"] for item in evidence] == ["success", "failure"]


@pytest.mark.fault(41)
def test_a_proposed_memory_speaks_more_softly_than_a_confirmed_one(space: Space) -> None:
    space.load(ORDERS, STOCK)
    body = {"intent": "euros by day", "objects": ["orders.placed_on"]}
    space.done("POST", "/memories", json=body)
    assert space.memories()[0]["state"] == "proposed"
    soft = memory_part(space, "orders.placed_on")
    space.done("POST", f"/memories/{space.memories()[0]['id']}/feedback", json={"outcome": "success"})
    assert space.memories()[0]["state"] == "confirmed"
    assert 0 < soft < memory_part(space, "orders.placed_on")


def test_a_memory_speaks_where_the_catalogue_knows_no_word_of_the_question(space: Space) -> None:
    space.load(table("t1", "", c1="", c2=""), STOCK)
    assert space.found("revenue") == []
    space.done("POST", "/learn", json={"intent": "revenue", "sql": "SELECT c2 FROM t1"})
    assert space.found("revenue") == ["t1", "t1.c2"]


def memory_part(space: Space, wanted: str) -> float:
    hits = space.answer("euros by day", limit=50)["results"]
    part: float = next(hit["parts"]["memory"] for hit in hits if hit["id"] == wanted)
    return part
