"""Reported faults of the kind: what should have stayed was gone, or what should have gone stayed (`docs/faults.md`)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from api.wiring import Services
from graph.embeddings import FloatArray
from graph.errors import RetinueError
from graph.store import Store
from kit.oracles.snapshots import snapshot
from kit.replays.round_trip import Hashing
from kit.values.samples import memory
from kit.values.spaces import Space, table
from services.discovery.service import DiscoveryService
from services.learning.lines import read_json
from services.memories import forgetting

ORDERS = table("orders", "what customers bought", placed_on="day of the order", total="amount in euros")
CUSTOMERS = table("customers", "who buys", customer_id="key", segment="kind of customer")


@pytest.mark.fault(1)
def test_deleting_in_one_workspace_leaves_another_as_it_was(make_space: Callable[[], Space], store: Store) -> None:
    mine, yours = make_space(), make_space()
    for each in (mine, yours):
        each.load(ORDERS, CUSTOMERS)
        each.remember("revenue by day", "orders", "orders.total", "orders.placed_on")
    before, asked = snapshot(store, yours.name), yours.answer("revenue by segment")["results"]
    mine.done("DELETE", "/objects/orders")
    mine.done("POST", "/memories/delete", json={"all": True})
    mine.done("DELETE", "")
    assert snapshot(store, yours.name) == before
    assert yours.answer("revenue by segment")["results"] == asked


@pytest.mark.fault(4)
def test_a_deleted_workspace_can_be_made_again_and_loaded_with_the_same_file(space: Space) -> None:
    first = space.load(ORDERS)
    space.remember("revenue by day", "orders.total")
    space.done("DELETE", "")
    assert space.call("GET", "").status_code == 404
    space.create()
    assert space.memories() == []
    assert space.load(ORDERS) == first
    assert "orders.total" in space.found("amount of the order")


@pytest.mark.fault(5)
def test_delete_all_takes_more_than_a_page(space: Space, services: Services) -> None:
    space.load(ORDERS)
    statement = {"sql": "SELECT total FROM orders"}
    lines = [json.dumps({"intent": f"question number {n}", **statement}) for n in range(1_250)]
    report = services.learning.learn_log(space.name, read_json(lines))
    assert report.learned == 1_250
    space.done("POST", "/memories/delete", json={"all": True})
    assert space.memories() == []


@pytest.mark.fault(6)
def test_a_bulk_delete_goes_on_after_an_id_that_is_not_there(space: Space) -> None:
    space.load(ORDERS)
    ids = [space.remember(f"question {n}", "orders.total")["id"] for n in range(9)]
    asked = [*ids[:2], "m_" + "0" * 24, *ids[2:]]
    report = space.done("POST", "/memories/delete", json={"ids": asked})
    assert space.memories() == []
    assert "m_" + "0" * 24 in str(report)
    again = space.call("POST", "/memories/delete", json={"ids": asked})
    assert again.status_code < 500


@pytest.mark.fault(9)
def test_a_reset_leaves_nothing_that_a_raw_look_would_find(space: Space, services: Services, store: Store) -> None:
    space.load(ORDERS, CUSTOMERS, references=[])
    space.remember("revenue by day", "orders.total")
    space.found("revenue by day")
    services.workspaces.reset(space.name)
    everything = store.changes(space.name, since=0)
    assert (everything.objects, everything.references or (), everything.intents) == ((), (), ())
    assert store.list_memories(space.name) == ()
    assert space.answer("revenue by day")["results"] == []


@pytest.mark.fault(10)
def test_reindexing_one_workspace_leaves_the_others_byte_for_byte(
    make_space: Callable[[], Space], services: Services, store: Store
) -> None:
    mine, yours = make_space(), make_space()
    for each in (mine, yours):
        each.load(ORDERS)
        each.remember("revenue by day", "orders.total")
    before = snapshot(store, yours.name), store.show_stamp(yours.name)
    services.discovery.reindex(mine.name)
    assert (snapshot(store, yours.name), store.show_stamp(yours.name)) == before


@pytest.mark.fault(21)
@pytest.mark.parametrize("references", [[["orders.total", "nowhere.id"]], [["nowhere.id", "orders.total"]]])
def test_a_reference_to_what_is_not_there_is_never_reported_as_made(space: Space, references: list[list[str]]) -> None:
    report = space.load(ORDERS, references=references)
    assert len(report["rejected"]) == 1
    assert "nowhere.id" in str(report["rejected"])
    assert {entry["id"] for entry in space.walk("/objects")} == {entry["id"] for entry in ORDERS}


@pytest.mark.fault(107)
def test_references_in_bulk_are_made_or_named(space: Space) -> None:
    keys = table("fact", **{f"k{n}": "" for n in range(50)})
    good = [[f"fact.k{n}", "customers.customer_id"] for n in range(0, 50, 2)]
    bad = [[f"fact.k{n}", f"gone_{n}.id"] for n in range(1, 50, 2)]
    report = space.load(keys, CUSTOMERS, references=[*good, *bad])
    assert len(report["rejected"]) == len(bad)
    missing = {entry[1] for entry in bad}
    assert all(any(name in str(entry) for name in missing) for entry in report["rejected"])


@pytest.mark.fault(21)
def test_a_memory_of_objects_that_were_never_there_is_refused(space: Space) -> None:
    space.load(ORDERS)
    body = {"intent": "x", "objects": ["orders.total", "orders.nothing"], "evidence": {"kind": "confirmed"}}
    reply = space.call("POST", "/memories", json=body)
    assert reply.status_code in {404, 409, 422}
    assert "orders.nothing" in reply.text
    assert space.memories() == []


@pytest.mark.fault(24)
def test_a_column_that_left_is_marked_and_its_memories_flagged_until_it_is_back(space: Space) -> None:
    space.load(ORDERS, source="shop")
    space.remember("revenue by day", "orders.total", "orders.placed_on")
    report = space.load(ORDERS[:-1], source="shop")
    assert report["gone"] == 1
    assert space.memories()[0]["suspended"]
    assert space.memories()[0]["missing"] == ["orders.total"]
    assert "orders.total" not in space.found("total amount")
    space.load(ORDERS, source="shop")
    assert not space.memories()[0]["suspended"]
    assert "orders.total" in space.found("total amount")


@pytest.mark.fault(44)
def test_two_tables_loaded_in_turn_are_both_there(space: Space) -> None:
    space.load(ORDERS, source="one")
    space.load(CUSTOMERS, source="two")
    assert {"orders", "customers"} <= set(space.objects(kind="table"))


@pytest.mark.fault(108)
@pytest.mark.parametrize("gone", ["orders", "customers.customer_id", "orders.customer_id"])
def test_a_thing_with_every_relationship_can_be_deleted_and_is_found_no_more(space: Space, gone: str) -> None:
    orders = [*ORDERS, *table("orders", customer_id="who bought")[1:]]
    space.load(orders, CUSTOMERS, references=[["orders.customer_id", "customers.customer_id"]])
    memory = space.remember("revenue by customer", "orders", "orders.customer_id", "customers.customer_id")
    space.found("revenue by customer")
    space.done("DELETE", f"/objects/{gone}")
    assert space.call("GET", f"/objects/{gone}").status_code == 404
    assert not [each for each in space.found("revenue by customer", limit=50) if each.startswith(gone)]
    space.done("DELETE", f"/memories/{memory['id']}")
    assert space.memories() == []


@pytest.mark.fault(115)
def test_what_was_removed_behind_the_back_of_a_service_is_in_no_answer(space: Space, store: Store) -> None:
    space.load(ORDERS, CUSTOMERS)
    assert "orders.total" in space.found("total amount in euros")
    store.remove_objects(space.name, ["orders"])
    assert not [each for each in space.found("total amount in euros", limit=50) if each.startswith("orders")]


@pytest.mark.fault(109)
def test_names_that_differ_in_a_number_stay_apart(space: Space) -> None:
    space.load(table("ledger_2023", "Acme Ledger 2023"), table("ledger_2024", "Acme Ledger 2024"))
    assert set(space.objects()) == {"ledger_2023", "ledger_2024"}
    for year in ("2023", "2024"):
        space.remember(f"Acme Ledger {year}", f"ledger_{year}")
        assert space.found(f"Acme Ledger {year}")[0] == f"ledger_{year}"
    assert len(space.memories()) == 2


def test_no_two_workspaces_share_an_id_space(make_space: Callable[[], Space]) -> None:
    mine, yours = make_space(), make_space()
    mine.load(ORDERS)
    assert yours.call("GET", "/objects/orders").status_code == 404
    assert yours.objects() == []
    assert yours.answer(f"orders {uuid.uuid4().hex}")["results"] == []


@pytest.mark.fault(5, 6, 9)
def test_all_memories_go_though_a_batch_fails(
    space: Space, services: Services, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third of ten batches fails, and each of its ids: these are named, the others go, and the rest goes later."""
    space.load(ORDERS)
    made = [memory(f"question {n}", ["orders.total"]) for n in range(200)]
    store.save_memories(space.name, made)
    ids = sorted(each.id for each in made)
    failing = set(ids[40:60])
    forget = store.forget_memories

    def forget_or_fail(workspace: str, some: Sequence[str], **more: Any) -> tuple[str, ...]:
        if failing.intersection(some):
            raise RetinueError("forgetting", found="a fault", hint="Try again")
        return forget(workspace, some, **more)

    with monkeypatch.context() as patch:
        patch.setattr(forgetting, "BATCH", 20)
        patch.setattr(store, "forget_memories", forget_or_fail)
        report = services.memories.forget(space.name, ids)
    assert {each.id for each in report if each.status == "error"} == failing
    assert {each.id for each in report if each.status == "forgotten"} == set(ids) - failing
    assert store.show_workspace(space.name).memories == 20
    space.done("POST", "/memories/delete", json={"all": True})
    left = store.show_workspace(space.name)
    assert (left.memories, store.list_ids(space.name).intents) == (0, ())
    assert space.answer("question 5")["results"] == [] or not space.answer("question 5")["results"][0]["memories"]


@pytest.mark.fault(14)
def test_work_that_comes_late_brings_nothing_back(
    space: Space, services: Services, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While vectors and expectations are under way, what they are for is deleted."""
    space.load(ORDERS)
    kept = space.remember("revenue by day", "orders.total")
    save_embeddings, save_expectations = store.save_embeddings, store.save_expectations

    def removed_before(workspace: str, vectors: Any, *, of: Any) -> None:
        if of == "objects":
            store.remove_objects(workspace, ["orders.placed_on"])
        save_embeddings(workspace, vectors, of=of)

    def forgotten_before(workspace: str, made: Any, **more: Any) -> None:
        assert made
        store.forget_memories(workspace, [kept["id"]])
        save_expectations(workspace, made, **more)

    monkeypatch.setattr(store, "save_embeddings", removed_before)
    monkeypatch.setattr(store, "save_expectations", forgotten_before)
    late = DiscoveryService(store, services.registries, Hashing(), clock=services.clock)
    late.reindex(space.name)
    monkeypatch.undo()
    assert space.objects() == ["orders", "orders.total"]
    assert space.memories() == []
    assert store.list_ids(space.name).intents == ()
    assert store.show_embeddings(space.name, ["orders.placed_on"], of="objects") == ()


@pytest.mark.fault(34)
def test_what_is_written_during_slow_work_survives_it(space: Space, services: Services, store: Store) -> None:
    """A memory, another's outcome and a column that come while everything is embedded anew."""
    space.load(ORDERS)
    before = space.remember("revenue by day", "orders.total")

    class Slow(Hashing):
        def encode(self, texts: Sequence[str]) -> FloatArray:
            if "invoices" not in space.objects():
                space.load(table("invoices", added="later"))
                space.remember("written meanwhile", "orders.placed_on")
                space.done("POST", f"/memories/{before['id']}/feedback", json={"outcome": "failure"})
            return super().encode(texts)

    DiscoveryService(store, services.registries, Slow(), clock=services.clock).reindex(space.name)
    kept = {each["intent"]: each for each in space.memories()}
    assert set(kept) == {"revenue by day", "written meanwhile"}
    assert kept["revenue by day"]["failures"] == 1
    assert "invoices.added" in space.objects()


@pytest.mark.fault(35)
def test_an_answer_that_is_fed_back_teaches_nothing(space: Space, services: Services) -> None:
    space.load(ORDERS)
    space.remember("revenue by day", "orders.total")
    answer = space.answer("revenue by day", rule="memory")
    assert any(hit["memories"] for hit in answer["results"])
    before = space.memories()
    shown = json.dumps(answer, ensure_ascii=False)
    lines = [shown, json.dumps({"intent": "revenue by day", "sql": shown}), json.dumps({"intent": shown}), shown[:200]]
    report = services.learning.learn_log(space.name, read_json(lines))
    assert (report.learned, report.rejected) == (0, len(lines))
    assert space.memories() == before
