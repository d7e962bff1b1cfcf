"""Many threads at once: nothing twice, nothing lost, nothing dangling, and no error for the losers."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest

from graph.store import Store
from graph.workspaces import Reply
from kit.oracles.mirrors import Mirror, fresh
from kit.oracles.snapshots import all_memories, all_objects, all_references
from kit.values.samples import AT, BANK, BANK_REFERENCES, column, embeddings, intent_id, memory, table

T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """All calls, each in a thread of its own, released together; the first error is raised."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@pytest.mark.fault(33)
def test_32_identical_upserts_make_one_graph(store: Store, workspace: str) -> None:
    vectors = embeddings({"account": "x"})
    at_once([lambda: store.save_objects(workspace, BANK, references=BANK_REFERENCES, embeddings=vectors)] * 32)
    assert [each.id for each in all_objects(store, workspace)] == sorted(each.id for each in BANK)
    assert all_references(store, workspace) == BANK_REFERENCES
    shown = store.show_workspace(workspace)
    assert (shown.tables, shown.attributes, shown.references) == (2, 4, 1)
    assert len(store.neighbourhood(workspace, "account", depth=1).relationships) == 2


def test_upserts_of_overlapping_parts_in_any_order_lose_nothing(store: Store, workspace: str) -> None:
    tables = [table(f"t{number:02}") for number in range(40)]
    parts = [tables[start : start + 20] for start in range(0, 21, 4)]
    at_once([lambda part=part: store.save_objects(workspace, part) for part in parts + [p[::-1] for p in parts]])
    assert list(all_objects(store, workspace)) == tables


def test_32_new_memories_of_one_id_save_one(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    same = memory("same", ["account", "loan.amount"])
    answers = at_once([lambda: store.save_memories(workspace, [same])] * 32)
    assert sorted(answers) == [(False,)] * 31 + [(True,)]
    assert all_memories(store, workspace) == (replace(same, revision=1),)
    assert store.list_ids(workspace).intents == (same.intent_id,)


def test_memories_of_one_intent_share_it(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table(f"t{number}") for number in range(16)])
    memories = [memory("same", [f"t{number}"]) for number in range(16)]
    assert at_once([lambda m=m: store.save_memories(workspace, [m]) for m in memories]) == [(True,)] * 16
    assert store.list_ids(workspace).intents == (intent_id("same"),)
    assert len(store.list_memories(workspace, intent_id=intent_id("same"))) == 16


def test_one_of_many_creates_the_workspace(store: Store) -> None:
    name = f"t-{uuid.uuid4().hex}"
    made = at_once([lambda n=n: store.create_workspace(name, incarnation=f"{n}", at=AT) for n in range(16)])
    assert sum(new for _, new in made) == 1
    assert len({each.stamp.incarnation for each, _ in made}) == 1
    store.delete_workspace(name)


def test_one_of_many_claims_the_key(store: Store, workspace: str) -> None:
    replies = [Reply(key="k", request=f"{n}", status=0, body="", at=AT) for n in range(16)]
    since = AT - timedelta(days=1)
    seen = at_once([lambda r=r: store.claim_reply(workspace, r, keep_since=since) for r in replies])
    assert seen.count(None) == 1
    assert len({each.request for each in seen if each}) == 1


@pytest.mark.fault(105)
def test_8_writers_on_the_same_50_memories_lose_nothing(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table("t")])
    first = [memory(f"question {number}", ["t"], times=0) for number in range(50)]
    store.save_memories(workspace, first)

    def add(writer: int) -> None:
        """Adds one to each memory's count, each by compare and set, until it is in."""
        left = [each.id for each in first[writer * 6 :] + first[: writer * 6]]
        while left:
            batch = store.show_memories(workspace, left[:10])
            saved = store.save_memories(workspace, [replace(each, times=each.times + 1) for each in batch])
            done = {each.id for each, was_saved in zip(batch, saved, strict=True) if was_saved}
            left = [each for each in left if each not in done]

    at_once([lambda writer=writer: add(writer) for writer in range(8)])
    stored = all_memories(store, workspace)
    assert {(each.times, each.revision) for each in stored} == {(8, 9)}
    assert len(stored) == 50


def test_20_deletes_that_share_an_object_leave_nothing_dangling(store: Store, workspace: str) -> None:
    columns = [column("t", f"c{number}") for number in range(20)]
    references = [(each.id, "t.shared") for each in columns]
    store.save_objects(workspace, [table("t"), column("t", "shared"), *columns], references=references)
    memories = [memory("same" if n % 2 else f"own {n}", [columns[n].id, "t.shared"]) for n in range(20)]
    store.save_memories(workspace, memories)
    forgotten = at_once([lambda m=m: store.forget_memories(workspace, [m.id]) for m in memories])
    assert forgotten == [(m.id,) for m in memories]
    assert store.list_ids(workspace).intents == ()
    removed = at_once([lambda c=c: store.remove_objects(workspace, [c.id]).ids for c in columns])
    assert removed == [(c.id,) for c in columns]
    assert store.list_references(workspace, ["t.shared"]) == ()
    around = store.neighbourhood(workspace, "t.shared", depth=4)
    assert {node.id for node in around.nodes} == {"t", "t.shared"}
    assert store.show_workspace(workspace).references == 0


def test_mirrors_kept_beside_writers_miss_nothing(store: Store, workspace: str) -> None:
    """What a mirror was told of once it is never told again: a write seen half, or passed over, would stay missing."""
    pair = [table("a", "0"), table("b", "0")]
    store.save_objects(workspace, pair)
    done = threading.Event()

    def write(writer: int) -> None:
        for number in range(1, 16):
            if writer:
                store.save_memories(workspace, [memory(f"question {number}", ["a"])])
            else:
                store.save_objects(workspace, [replace(each, description=str(number)) for each in pair])

    def write_all() -> None:
        at_once([lambda: write(0), lambda: write(1)])
        done.set()

    def follow() -> Mirror:
        mirror, written = Mirror(), False
        while not written:
            written = done.is_set()
            mirror.catch_up(store, workspace)
            assert len({each.description for each in mirror.objects.values()}) == 1
        return mirror

    calls: list[Callable[[], Mirror | None]] = [write_all, follow, follow]
    mirrors = [each for each in at_once(calls) if each]
    anew = fresh(store, workspace)
    for mirror in mirrors:
        assert (mirror.objects, mirror.intents) == (anew.objects, anew.intents)
        assert mirror.version == anew.version


def test_versions_grow_with_every_one_of_many_writes(store: Store, workspace: str) -> None:
    stamps = at_once([lambda n=n: store.save_objects(workspace, [table(f"t{n}")]).stamp for n in range(16)])
    assert len({each.version for each in stamps}) == 16
    assert max(each.version for each in stamps) == store.show_stamp(workspace).version
    assert len(store.changes(workspace, since=min(each.version for each in stamps)).objects) == 15


def test_readers_never_meet_what_is_half_deleted(store: Store, workspace: str) -> None:
    """Two seconds of writers, of one who forgets and one who removes: all that is read is whole."""
    names = [f"t{number}" for number in range(8)]
    store.save_objects(workspace, [table(name) for name in names])
    questions = [memory(f"question {number}", [names[0]]) for number in range(200)]
    end = time.monotonic() + 2

    def until_the_end(step: Callable[[], object]) -> Callable[[], int]:
        def go() -> int:
            done = 0
            while time.monotonic() < end:
                step()
                done += 1
            return done

        return go

    def forget() -> None:
        store.forget_memories(workspace, [each.id for each in store.list_memories(workspace, limit=40)])

    def remove() -> None:
        store.remove_objects(workspace, names[4:])
        store.save_objects(workspace, [table(name) for name in names[4:]])

    def read() -> None:
        changes = store.changes(workspace, since=0)
        listed = store.list_ids(workspace)
        shown = store.show_memories(workspace, [each.id for each in questions])
        assert None not in [part for pair in changes.intents for part in pair]
        assert None not in [
            part for each in (*changes.objects, *all_objects(store, workspace)) for part in (each.id, each.name)
        ]
        assert None not in [*listed.objects, *listed.intents]
        assert None not in [part for each in shown for part in (each.id, each.intent_id, each.intent)]

    halves = (questions[:100], questions[100:])
    writers: list[Callable[[], object]] = [lambda half=half: store.save_memories(workspace, half) for half in halves]
    assert all(at_once([until_the_end(step) for step in (*writers, forget, remove, read, read, read)]))
