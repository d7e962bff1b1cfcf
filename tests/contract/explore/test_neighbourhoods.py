"""Neighbourhoods: what is around a thing, as people see it in the graph, nearest first, bounded."""

from __future__ import annotations

import pytest

from graph.errors import NotFound, UnknownWorkspace
from graph.evidence import Expectation
from graph.explore import Neighbourhood
from graph.store import Store
from kit.values.samples import BANK, BANK_REFERENCES, MODEL, ODD_IDS, embeddings, intent_id, memory, table

REMEMBERED = memory("one", ["account.A2", "loan"])


@pytest.fixture
def linked(store: Store, workspace: str) -> str:
    vectors = embeddings({each.id: "x" for each in BANK})
    stamp = store.save_objects(workspace, BANK, references=BANK_REFERENCES, embeddings=vectors).stamp
    store.save_memories(workspace, [REMEMBERED], embeddings=embeddings({intent_id("one"): "x"}))
    made = Expectation(memory=REMEMBERED.id, objects=("loan.amount",), scores=(0.5,), support=0.5)
    store.save_expectations(workspace, [made], stamp=stamp, form="f")
    return workspace


def ids(shown: Neighbourhood) -> set[str]:
    return {node.id for node in shown.nodes}


def links(shown: Neighbourhood) -> set[tuple[str, str, str]]:
    return {(each.type, each.start[1], each.end[1]) for each in shown.relationships}


def test_depth_0_is_the_thing_itself(store: Store, linked: str) -> None:
    for around in ("account", "account.A2", REMEMBERED.id, intent_id("one")):
        shown = store.neighbourhood(linked, around, depth=0)
        assert ids(shown) == {around}
        assert shown.relationships == ()
        assert not shown.truncated


def test_a_table_is_among_its_attributes(store: Store, linked: str) -> None:
    shown = store.neighbourhood(linked, "account", depth=1)
    assert ids(shown) == {"account", "account.A2", "account.id"}
    assert links(shown) == {("HAS_ATTRIBUTE", "account", "account.A2"), ("HAS_ATTRIBUTE", "account", "account.id")}


def test_a_memory_is_between_its_intent_and_what_it_found(store: Store, linked: str) -> None:
    shown = store.neighbourhood(linked, REMEMBERED.id, depth=1)
    assert links(shown) >= {
        ("FOR", REMEMBERED.id, intent_id("one")),
        ("FOUND", REMEMBERED.id, "account.A2"),
        ("FOUND", REMEMBERED.id, "loan"),
        ("EXPECTED", REMEMBERED.id, "loan.amount"),
    }
    assert ids(shown) == {REMEMBERED.id, intent_id("one"), "account.A2", "loan", "loan.amount"}


def test_all_that_is_reached_is_linked(store: Store, linked: str) -> None:
    shown = store.neighbourhood(linked, intent_id("one"), depth=4)
    assert ids(shown) == {REMEMBERED.id, intent_id("one")} | {each.id for each in BANK}
    assert ("REFERENCES", "loan.account_id", "account.id") in links(shown)
    assert len(links(shown)) == len(shown.relationships) == 1 + 2 + 1 + 1 + 4


def test_labels_and_properties_are_for_people(store: Store, linked: str) -> None:
    shown = {node.id: node for node in store.neighbourhood(linked, REMEMBERED.id, depth=2).nodes}
    assert shown["loan"].labels == ("DataObject", "Table")
    assert shown["account.A2"].labels == ("DataObject", "Attribute")
    assert shown[REMEMBERED.id].labels == ("Memory",)
    assert shown[intent_id("one")].labels == ("Intent",)
    assert shown["loan"].properties["name"] == "loan"
    assert shown[REMEMBERED.id].properties["state"] == "confirmed"
    assert shown[intent_id("one")].properties["text"] == "one"
    for node in shown.values():
        assert node.properties["workspace"] == linked
        assert not any(isinstance(each, list | tuple) and len(each) == 3 for each in node.properties.values())
        assert "embedding" not in node.properties


def test_relationships_name_their_ends_by_first_label(store: Store, linked: str) -> None:
    shown = store.neighbourhood(linked, REMEMBERED.id, depth=1)
    assert {(each.start[0], each.type, each.end[0]) for each in shown.relationships} >= {
        ("Memory", "FOR", "Intent"),
        ("Memory", "FOUND", "DataObject"),
    }
    (expected,) = (each for each in shown.relationships if each.type == "EXPECTED")
    assert expected.properties["score"] == 0.5


def test_the_limit_keeps_the_nearest_and_says_so(store: Store, linked: str) -> None:
    shown = store.neighbourhood(linked, "account", depth=3, limit=3)
    assert ids(shown) == {"account", "account.A2", "account.id"}
    assert shown.truncated
    assert all({each.start[1], each.end[1]} <= ids(shown) for each in shown.relationships)


def test_the_order_is_total(store: Store, linked: str) -> None:
    shown = store.neighbourhood(linked, "loan", depth=4)
    keys = [(node.labels[0], node.id) for node in shown.nodes]
    assert keys == sorted(keys)
    assert [(e.type, e.start, e.end) for e in shown.relationships] == sorted(
        (e.type, e.start, e.end) for e in shown.relationships
    )


def test_nothing_leads_over_the_workspace(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table("one"), table("two")])
    assert ids(store.neighbourhood(workspace, "one", depth=4)) == {"one"}


def test_an_object_goes_before_a_memory_of_the_same_id(store: Store, linked: str) -> None:
    store.save_objects(linked, [table(REMEMBERED.id)])
    assert store.neighbourhood(linked, REMEMBERED.id, depth=0).nodes[0].labels == ("DataObject", "Table")


def test_odd_ids_are_found(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table(odd) for odd in ODD_IDS])
    for odd in ODD_IDS:
        assert ids(store.neighbourhood(workspace, odd, depth=1)) == {odd}


def test_what_is_not_there_is_not_found(store: Store, linked: str) -> None:
    for nothing in ("nix", "", linked):
        with pytest.raises(NotFound) as raised:
            store.neighbourhood(linked, nothing, depth=1)
        assert not isinstance(raised.value, UnknownWorkspace)


def test_embeddings_stay_behind(store: Store, linked: str) -> None:
    assert store.list_unembedded(linked, of="objects", model=MODEL) == ()
    for node in store.neighbourhood(linked, "account", depth=4).nodes:
        assert not any("embedding" in name or "vector" in name for name in node.properties), node
