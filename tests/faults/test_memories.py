"""Reported faults of the kind: a wrong memory went on to speak (`docs/faults.md`)."""

from __future__ import annotations

from spaces import Space, table

ORDERS = table("orders", "what customers bought", total="amount in euros", placed_on="day of the order")
STOCK = table("stock", "what lies in the warehouse", pieces="how many", shelf="where")


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
