"""Reported faults of the kind: a wrong memory went on to speak (`docs/faults.md`)."""

from __future__ import annotations

from spaces import Space, table

ORDERS = table("orders", "what customers bought", total="amount in euros", placed_on="day of the order")
STOCK = table("stock", "what lies in the warehouse", pieces="how many", shelf="where")


def test_a_wrong_memory_weighs_nothing_after_its_failure(space: Space) -> None:
    space.load(ORDERS, STOCK)
    memory = space.remember("revenue by day", "stock.shelf", "stock.pieces")["id"]
    alone = space.answer("revenue for each day", use_memory=False)["results"]
    assert space.answer("revenue for each day")["results"] != alone
    space.done("POST", f"/memories/{memory}/feedback", json={"outcome": "failure"})
    assert space.memories()[0]["state"] == "refuted"
    assert space.answer("revenue for each day")["results"] == alone


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
    body = {"intent": "revenue by day", "objects": ["orders.total"]}
    space.done("POST", "/memories", json=body)
    assert space.memories()[0]["state"] == "proposed"
    soft = memory_part(space, "orders.total")
    space.done("POST", f"/memories/{space.memories()[0]['id']}/feedback", json={"outcome": "success"})
    assert space.memories()[0]["state"] == "confirmed"
    assert 0 < soft < memory_part(space, "orders.total")


def memory_part(space: Space, wanted: str) -> float:
    hits = space.answer("revenue by day")["results"]
    part: float = next(hit["parts"]["memory"] for hit in hits if hit["id"] == wanted)
    return part
