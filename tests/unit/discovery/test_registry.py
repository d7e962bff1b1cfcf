"""The registry: caught up by changes it is what a fresh one would be, and it asks the store no more than it must."""

from __future__ import annotations

import random
import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.catalogue import DataObject
from graph.errors import UnknownWorkspace
from services.catalogue_index import CatalogueIndex, CatalogueIndexes, Field
from services.lexical.weights import best

QUESTIONS = ["account owner", "客户 amount", "t3 c1", "old new"]
FIELDS: tuple[Field, ...] = ("text", "name", "intent")


def scores(registry: CatalogueIndex) -> list[Any]:
    """All that a registry says, lexical scores under every weight included."""
    said: list[Any] = [dict(registry.objects), registry.references, dict(registry.intents)]
    for field in FIELDS:
        for weights in (registry.cosines(field, "grams"), registry.cosines(field, "words"), registry.bm25(field)):
            said += [best(weights.index, weights.scores(question), limit=99) for question in QUESTIONS]
    return [*said, {table: set(keys) for table, keys in registry.keys.items()}, registry.named("c1"), registry.stamp]


def table(number: int, name: str = "") -> DataObject:
    return DataObject(id=f"t{number}", kind="table", name=name or f"t{number}", description="old")


def column(number: int, of: int, said: str = "") -> DataObject:
    return DataObject(
        id=f"t{of}.c{number}", kind="attribute", name=f"c{number}", description=said, table=f"t{of}", data_type="int"
    )


@pytest.mark.parametrize("seed", range(6))
def test_after_any_writes_it_is_what_a_fresh_one_is(room: Any, seed: int) -> None:
    rng = random.Random(seed)
    room.put([table(n) for n in range(4)] + [column(1, n, "account owner") for n in range(4)])
    scores(room.registries.current("w"))  # every lexical part is made now, and kept by deltas from here on
    for _ in range(12):
        n, m = rng.randrange(4), rng.randrange(4)
        match rng.randrange(6):
            case 0:
                room.put([table(n, rng.choice(["new", "客户", f"t{n}"])), column(2, n, rng.choice(["amount", "额"]))])
            case 1:
                room.store.remove_objects("w", [f"t{n}"])
                room.put([table(n), column(1, n, "owner")])
            case 2:
                room.store.save_objects("w", [], gone=[f"t{n}.c1"])
            case 3:
                room.put([column(1, n, "back")], references=[(f"t{n}.c1", f"t{m}.c1")])
            case 4:
                room.remember(rng.choice(QUESTIONS), f"t{n}")
            case 5:
                found = [memory.id for memory in room.store.list_memories("w")]
                room.store.forget_memories("w", found[:1])
        assert scores(room.registries.current("w")) == scores(CatalogueIndexes(room.store).current("w"))


def test_an_unmoved_workspace_costs_one_look_at_its_stamp(room: Any) -> None:
    room.put([table(1)])
    first = room.registries.current("w")
    room.store.calls.clear()
    assert room.registries.current("w") is first
    assert room.store.calls == {"show_stamp": 1}
    assert room.registries.held("w") is first
    assert room.store.calls == {"show_stamp": 1}


def test_learning_leaves_the_catalogue_s_arrays_as_they_are(room: Any) -> None:
    room.put([table(1), column(1, 1, "account")])
    before = room.registries.current("w")
    index, cosines = before.index("text", "grams"), before.cosines("text", "grams")
    room.remember("who owns the account", "t1.c1")
    after = room.registries.current("w")
    assert after.stamp.version > before.stamp.version
    assert after.index("text", "grams") is index
    assert after.cosines("text", "grams") is cosines
    assert after.objects is before.objects


def test_a_workspace_made_anew_is_read_from_the_start(room: Any) -> None:
    room.put([table(1), column(1, 1)])
    assert set(room.registries.current("w").objects) == {"t1", "t1.c1"}
    room.store.delete_workspace("w")
    with pytest.raises(UnknownWorkspace):
        room.registries.current("w")
    room.store.create_workspace("w", incarnation="second", at=datetime(2026, 1, 1, tzinfo=UTC))
    for n in range(2, 9):  # its version passes the old one's, which must not look like a few changes
        room.put([table(n)])
    assert set(room.registries.current("w").objects) == {f"t{n}" for n in range(2, 9)}


def test_it_holds_no_more_workspaces_than_it_may(room: Any) -> None:
    registries = CatalogueIndexes(room.store, capacity=2)
    for name in ("w", "x", "y"):
        room.store.create_workspace(name, incarnation=name, at=datetime(2026, 1, 1, tzinfo=UTC))
        registries.current(name)
    room.store.calls.clear()
    registries.held("y")
    assert not room.store.calls
    registries.held("w")
    assert room.store.calls["changes"] + room.store.calls["show_stamp"] >= 1


def test_many_threads_see_whole_registries_while_others_write(room: Any) -> None:
    room.put([table(n) for n in range(4)])
    failures: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                registry = room.registries.current("w")
                cosines = registry.cosines("text", "grams")
                found = best(cosines.index, cosines.scores("owner number"), limit=500)
                assert set(found.ids) <= set(registry.objects)
                assert cosines.index.size == len(registry.objects)
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(6)]
    for reader in readers:
        reader.start()
    for n in range(60):
        room.put([column(n, n % 4, f"owner number {n}")])
        if n % 7 == 0:
            room.store.remove_objects("w", [f"t{n % 4}.c{n}"])
    done.set()
    for reader in readers:
        reader.join()
    assert not failures
    assert scores(room.registries.current("w")) == scores(CatalogueIndexes(room.store).current("w"))
