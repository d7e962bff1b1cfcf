"""Two stores open at once on one place, as two processes have them: each sees the other's writes at its next call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from graph.evidence import Question
from graph.store import Store
from kit.oracles.snapshots import snapshot
from kit.values.samples import ACCOUNT, AT, BANK, MODEL, embeddings, intent_id, memory, scores, table, unit
from services.catalogue_index import CatalogueIndexes
from services.discovery.service import DiscoveryService

# memory:// is one store's own; nobody else can open it.
pytestmark = pytest.mark.parametrize("opener", ["sqlite", "neo4j_5", "neo4j_26"], indirect=True)


@pytest.fixture
def other(store: Store, opener: Callable[[], Store]) -> Iterator[Store]:
    """The same place, opened a second time."""
    opened = opener()
    yield opened
    opened.close()


def test_each_sees_what_the_other_wrote(store: Store, other: Store, workspace: str) -> None:
    first, second = memory("one", ["account"]), memory("two", ["account.A2"])
    writes = (
        lambda door: door.save_objects(workspace, BANK, embeddings=embeddings({"account": "x"})),
        lambda door: door.save_memories(workspace, [first, second], embeddings=embeddings({intent_id("one"): "x"})),
        lambda door: door.save_objects(workspace, [replace(ACCOUNT[0], description="new")], gone=["loan"]),
        lambda door: door.save_memories(workspace, [replace(first, times=2, revision=1)]),
        lambda door: door.save_embeddings(workspace, embeddings({"account": "y"}), of="objects"),
        lambda door: door.remove_objects(workspace, ["account.A2"]),
        lambda door: door.forget_memories(workspace, [second.id]),
    )
    asked = Question(
        vector=unit("xy"), model=MODEL, similarity="mean", intents=scores({intent_id("one"): 0.5, intent_id("two"): 1})
    )
    for number, write in enumerate(writes):
        write((store, other)[number % 2])
        assert snapshot(store, workspace, questions=[asked]) == snapshot(other, workspace, questions=[asked])
        assert store.show_stamp(workspace) == other.show_stamp(workspace)


def test_revisions_hold_across_doors(store: Store, other: Store, workspace: str) -> None:
    first = memory("one", [])
    assert store.save_memories(workspace, [first]) == (True,)
    assert other.save_memories(workspace, [first]) == (False,)
    assert other.save_memories(workspace, [replace(first, revision=1)]) == (True,)
    assert store.save_memories(workspace, [replace(first, revision=1)]) == (False,)


def test_a_workspace_made_anew_is_seen_as_another(store: Store, other: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    assert other.show_stamp(workspace) == store.show_stamp(workspace)
    store.delete_workspace(workspace)
    store.create_workspace(workspace, incarnation="second", at=AT)
    assert other.show_stamp(workspace).incarnation == "second"
    assert other.list_ids(workspace).objects == ()


def test_closing_one_leaves_the_other(store: Store, other: Store, workspace: str) -> None:
    other.save_objects(workspace, BANK)
    other.close()
    other.close()
    assert len(store.list_objects(workspace)) == len(BANK)


def test_anothers_write_is_in_the_next_discover(store: Store, other: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    services = [DiscoveryService(door, CatalogueIndexes(door), None, clock=lambda: AT) for door in (store, other)]

    def found(intent: str) -> list[tuple[str, tuple[str, ...]]]:
        """What both doors answer, hits with the memories that spoke for them; it must be the same."""
        one, two = (
            [(hit.id, tuple(v.intent for v in hit.memories)) for hit in service.discover(workspace, intent).results]
            for service in services
        )
        assert one == two
        return one

    before = found("dispensation")
    assert "loan.amount" not in dict(before)
    other.save_memories(workspace, [memory("dispensations", ["loan.amount"])])
    assert ("loan.amount", ("dispensations",)) in found("dispensation")
    store.save_objects(workspace, [table("dispensation")])
    assert found("dispensation")[0][0] == "dispensation"
    other.remove_objects(workspace, ["dispensation"])
    assert "dispensation" not in {hit for hit, _ in found("dispensation")}
    store.forget_memories(workspace, [memory("dispensations", ["loan.amount"]).id])
    assert found("dispensation") == before
