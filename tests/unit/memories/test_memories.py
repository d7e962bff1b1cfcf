"""The service of memories on the embedded store: one memory from every side, judged, changed, forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from threading import Thread

import numpy as np
import pytest

from graph.catalogue import DataObject
from graph.embedded import open_store
from graph.embeddings import FloatArray
from graph.errors import (
    Conflict,
    EncoderUnavailable,
    InvalidInput,
    StaleRevision,
    StoreUnavailable,
    UnknownMemories,
    UnknownObjects,
    UnknownWorkspace,
)
from graph.memories import Memory
from graph.store import Store
from services.memories import Entry, Feedback, Forgotten, MemoryService
from services.memories.forgetting import forget_ids

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
OBJECTS = [
    DataObject(id="t", kind="table", name="t"),
    DataObject(id="t.a", kind="attribute", name="a", table="t"),
    DataObject(id="t.b", kind="attribute", name="b", table="t"),
]


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store("memory://")
    opened.create_workspace("w", incarnation="1", at=NOON)
    opened.save_objects("w", OBJECTS)
    yield opened
    opened.close()


@pytest.fixture
def memories(store: Store) -> MemoryService:
    return MemoryService(store, None, lambda: NOON)


def test_without_evidence_a_memory_is_proposed(memories: MemoryService) -> None:
    memory = memories.remember("w", " revenue  by day", ["t.b", "t.a"])
    assert (memory.intent, memory.objects, memory.state) == ("revenue by day", ("t.a", "t.b"), "proposed")
    assert (memory.times, memory.successes, memory.evidence, memory.revision) == (1, 0, (), 1)
    assert memories.show("w", memory.id) == memory


@pytest.mark.parametrize("kind", ["executed_sql", "confirmed", "annotated"])
def test_evidence_confirms(memories: MemoryService, kind: str) -> None:
    evidence = Feedback(kind=kind, note="seen")  # type: ignore[arg-type]
    assert memories.remember("w", "x", ["t"], evidence=evidence).state == "confirmed"


def test_the_same_is_one_memory_with_a_count(memories: MemoryService) -> None:
    memories.remember("w", "x", ["t", "t.a"])
    again = memories.remember("w", "x ", ["t.a", "t"], evidence=Feedback(kind="annotated"))
    assert (again.times, again.state, again.revision) == (2, "confirmed", 2)
    assert memories.remember("w", "x", ["t"]).id != again.id
    assert len(memories.list("w")) == 2
    assert len(memories.list("w", intent="x")) == 2


def test_objects_must_be_live(memories: MemoryService, store: Store) -> None:
    store.save_objects("w", [], gone=["t.b"])
    with pytest.raises(UnknownObjects) as caught:
        memories.remember("w", "x", ["t", "t.b", "nowhere"])
    assert caught.value.ids == ("nowhere", "t.b")
    assert memories.list("w") == ()


@pytest.mark.parametrize(
    "evidence",
    [
        Feedback(kind="gossip"),  # type: ignore[arg-type]
        Feedback(kind="confirmed", outcome="perhaps"),  # type: ignore[arg-type]
        Feedback(kind="confirmed", note="a\x00b"),
        Feedback(kind="confirmed", note="x" * 3_000),
        Feedback(kind="confirmed", discovery="\ud800"),
    ],
)
def test_evidence_that_is_none_is_refused(memories: MemoryService, evidence: Feedback) -> None:
    with pytest.raises(InvalidInput):
        memories.remember("w", "x", ["t"], evidence=evidence)


def test_instants_are_utc_whatever_zone_they_come_in(memories: MemoryService) -> None:
    naive = Feedback(kind="annotated", at=datetime(2026, 1, 2, 3))  # noqa: DTZ001
    eastern = Feedback(kind="annotated", at=datetime.fromisoformat("2026-01-02T05:00+02:00"))
    memories.remember("w", "x", ["t"], evidence=naive)
    memory = memories.remember("w", "x", ["t"], evidence=eastern)
    assert [item.at for item in memory.evidence] == [datetime(2026, 1, 2, 3, tzinfo=UTC)] * 2
    assert memory.last_used_at == NOON


def test_a_failure_that_meets_no_memory_makes_none(memories: MemoryService) -> None:
    with pytest.raises(UnknownMemories):
        memories.remember("w", "x", ["t"], evidence=Feedback(kind="executed_sql", outcome="failure"))
    assert memories.list("w") == ()


def test_judgements_change_state_and_show_themselves(memories: MemoryService) -> None:
    memory = memories.remember("w", "x", ["t"], evidence=Feedback(kind="executed_sql"))
    assert memories.feedback("w", memory.id, "failure", note="wrong table").state == "refuted"
    assert memories.feedback("w", memory.id, "success").state == "confirmed"
    assert memories.refute("w", memory.id).state == "refuted"
    last = memories.confirm("w", memory.id, note="Ann")
    assert (last.state, last.revision, last.times) == ("confirmed", 5, 1)
    assert memories.show("w", memory.id) == last
    assert [item.kind for item in last.evidence] == ["executed_sql", "feedback", "feedback", "refuted", "confirmed"]


def test_a_change_meant_for_another_revision_is_refused(memories: MemoryService) -> None:
    memory = memories.remember("w", "x", ["t"])
    memories.confirm("w", memory.id, revision=1)
    for change in (memories.confirm, memories.refute):
        with pytest.raises(StaleRevision):
            change("w", memory.id, revision=1)
    with pytest.raises(StaleRevision):
        memories.edit("w", memory.id, intent="y", revision=1)
    with pytest.raises(StaleRevision):
        memories.forget("w", [memory.id], revision=1)
    assert memories.show("w", memory.id).revision == 2
    assert memories.forget("w", [memory.id], revision=2) == (Forgotten(id=memory.id, status="forgotten"),)


def test_what_is_not_there_is_an_error(memories: MemoryService) -> None:
    for call in (memories.show, memories.confirm, memories.refute):
        with pytest.raises(UnknownMemories):
            call("w", "m_nothing")
    with pytest.raises(UnknownWorkspace):
        memories.remember("elsewhere", "x", ["t"])
    with pytest.raises(UnknownWorkspace):
        memories.forget("elsewhere", ["m_nothing"])


def test_an_edit_takes_the_outcomes_along(memories: MemoryService) -> None:
    before = memories.remember("w", "x", ["t"], evidence=Feedback(kind="executed_sql"))
    after = memories.edit("w", before.id, intent="y", objects=["t", "t.a"])
    assert (after.intent, after.objects, after.evidence) == ("y", ("t", "t.a"), before.evidence)
    assert [memory.id for memory in memories.list("w")] == [after.id]
    assert memories.edit("w", after.id, intent=" y ") == after


def test_an_edit_does_not_swallow_another_memory(memories: MemoryService) -> None:
    one, other = memories.remember("w", "x", ["t"]), memories.remember("w", "y", ["t"])
    with pytest.raises(Conflict):
        memories.edit("w", one.id, intent="y")
    with pytest.raises(UnknownObjects):
        memories.edit("w", one.id, objects=["nowhere"])
    assert {memory.id for memory in memories.list("w")} == {one.id, other.id}


def test_one_batch_saves_a_memory_once_for_all_its_entries(memories: MemoryService) -> None:
    ran = Feedback(kind="executed_sql")
    entries = [Entry(intent="x", objects=("t",), feedback=ran, statement=f"SELECT {n}") for n in range(3)]
    results = memories.remember_all("w", [*entries, Entry(intent="y", objects=("t",))])
    assert [result.memory.successes for result in results if result.memory] == [1, 2, 3, 0]
    memory = memories.list("w", intent="x")[0]
    assert (memory.times, memory.revision, memory.statement) == (3, 1, "SELECT 2")


class Interfering:
    """A store in which somebody else is faster, `times` times."""

    def __init__(self, store: Store, *, times: int) -> None:
        self._store = store
        self._times = times

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def save_memories(self, workspace: str, memories: Sequence[Memory], **more: object) -> tuple[bool, ...]:
        if self._times > 0:
            self._times -= 1
            first = memories[0]
            stored = self._store.show_memories(workspace, [first.id])
            before = stored[0] if stored else replace(first, times=0, successes=0, evidence=(), state="proposed")
            other = replace(before, times=before.times + 1)
            assert self._store.save_memories(workspace, [other]) == (True,)
        return self._store.save_memories(workspace, memories, **more)  # type: ignore[arg-type]


def test_who_comes_second_tries_again_and_nothing_is_lost(store: Store) -> None:
    memories = MemoryService(Interfering(store, times=3), None, lambda: NOON)  # type: ignore[arg-type]
    memories.remember("w", "x", ["t"], evidence=Feedback(kind="executed_sql"))
    memory = memories.show("w", memories.list("w")[0].id)
    assert (memory.times, memory.successes) == (4, 1)


def test_who_never_gets_through_gets_a_conflict(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.memories.remembering.LONGEST_WAIT_SECONDS", 0)
    memories = MemoryService(Interfering(store, times=1_000), None, lambda: NOON)  # type: ignore[arg-type]
    with pytest.raises(Conflict):
        memories.remember("w", "x", ["t"], evidence=Feedback(kind="executed_sql"))
    first, second = memories.remember_all("w", [Entry(intent="x", objects=("t",)), Entry(intent="y", objects=("t",))])
    assert {first.conflict is None, second.conflict is None} == {True, False}
    with pytest.raises(Conflict):
        memories.confirm("w", memories.list("w", intent="x")[0].id)


def test_writers_at_once_are_all_counted(memories: MemoryService) -> None:
    memory = memories.remember("w", "x", ["t"])

    def judge() -> None:
        for _ in range(10):
            memories.feedback("w", memory.id, "success")

    threads = [Thread(target=judge) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memories.show("w", memory.id).successes == 80


def test_all_are_forgotten_page_after_page(memories: MemoryService) -> None:
    memories.remember_all("w", [Entry(intent=f"q {n}", objects=("t",)) for n in range(1_250)])
    report = memories.forget_all("w")
    assert len(report) == 1_250
    assert {item.status for item in report} == {"forgotten"}
    assert memories.list("w") == ()


class Refusing:
    """A store that cannot forget the ids with an error for them, nor any batch that holds one."""

    def __init__(self, store: Store, errors: dict[str, Exception]) -> None:
        self._store = store
        self._errors = errors

    def forget_memories(self, workspace: str, ids: Sequence[str], *, revision: int | None = None) -> tuple[str, ...]:
        for memory_id in ids:
            if memory_id in self._errors:
                raise self._errors[memory_id]
        return self._store.forget_memories(workspace, ids, revision=revision)


def test_one_that_cannot_go_keeps_no_other_and_the_rest_can_be_asked_for_again(
    memories: MemoryService, store: Store
) -> None:
    made = memories.remember_all("w", [Entry(intent=f"q {n}", objects=("t",)) for n in range(10)])
    ids = [result.memory.id for result in made if result.memory]
    broken = Conflict("this", found="broken", hint="Wait")
    report = forget_ids(Refusing(store, {ids[2]: broken}), "w", ids)  # type: ignore[arg-type]
    assert [item.status for item in report] == ["forgotten"] * 2 + ["error"] + ["forgotten"] * 7
    assert "broken" in str(report[2].error)
    again = memories.forget("w", ids)
    assert [item.status for item in again] == ["missing"] * 2 + ["forgotten"] + ["missing"] * 7


def test_a_store_that_does_not_answer_is_not_asked_for_ever(store: Store) -> None:
    away = StoreUnavailable("the store", found="away", hint="Wait")
    ids = [f"m_{n}" for n in range(2_000)]
    report = forget_ids(Refusing(store, dict.fromkeys(ids, away)), "w", ids)  # type: ignore[arg-type]
    assert {item.status for item in report} == {"error"}
    assert sum("not tried" in str(item.error) for item in report) == 1_997


class Letters:
    """An encoder of two letters, which can be out of order."""

    name = "letters"

    def __init__(self, *, broken: bool = False) -> None:
        self._broken = broken

    def encode(self, texts: Sequence[str]) -> FloatArray:
        if self._broken:
            raise EncoderUnavailable("the encoder", found="broken", hint="Mend it")
        rows = np.array([[text.count("x") + 1, text.count("y")] for text in texts], dtype=np.float32)
        unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def test_intents_are_embedded_where_there_is_an_encoder(store: Store) -> None:
    MemoryService(store, Letters(), lambda: NOON).remember("w", "xy", ["t"])
    assert store.list_unembedded("w", of="intents", model="letters") == ()


def test_a_broken_encoder_does_not_keep_a_memory_from_being_saved(store: Store) -> None:
    memory = MemoryService(store, Letters(broken=True), lambda: NOON).remember("w", "xy", ["t"])
    assert store.list_unembedded("w", of="intents", model="letters") == (memory.intent_id,)
