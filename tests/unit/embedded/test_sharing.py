"""Two stores on one file, as two processes have it: each sees the other's writes at its next operation."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

import pytest

from graph.embedded import EmbeddedStore, open_store
from graph.embedded import sqlite_journal as journal
from graph.errors import UnknownWorkspace
from graph.evidence import Expectation, Question
from graph.feedback import Discovery
from graph.workspaces import Reply
from kit.oracles.snapshots import snapshot
from kit.values.samples import AT, VECTORS, column, embeddings, intent_id, memory, scores, table, unit

TABLES = [f"t{n}" for n in range(4)]
COLUMNS = [f"{of}.c{n}" for of in TABLES for n in range(3)]
INTENTS = [f"intent {n}" for n in range(6)]
QUESTIONS = [
    Question(
        vector=unit("xy"), model=model, similarity="mean", intents=scores(dict.fromkeys(map(intent_id, INTENTS), 0.5))
    )
    for model in ("model-a", "model-b")
]


class Histories:
    """One random write after another, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def write(self, store: EmbeddedStore) -> None:
        self._random.choice([self.save, self.save, self.leave, self.remember, self.remember, self.embed, self.forget])(
            store
        )

    def save(self, store: EmbeddedStore) -> None:
        of = self._random.choice(TABLES)
        columns = [column(of, f"c{n}", self._random.choice(["", "new"])) for n in range(self._random.randint(0, 3))]
        ids = [it.id for it in columns]
        references = [(self._random.choice(ids), self._random.choice(ids))] if ids else []
        vectors = embeddings(self._vectors(ids), model=self._model()) if ids and self._random.random() < 0.7 else None
        store.save_objects("w", [table(of), *columns], references=references, embeddings=vectors)

    def leave(self, store: EmbeddedStore) -> None:
        there = [it.id for it in store.show_objects("w", [*TABLES, *COLUMNS])]
        some = self._some(there)
        if self._random.random() < 0.5:
            store.save_objects("w", [], gone=some, dropped_references=store.list_references("w", there)[:1])
        else:
            store.remove_objects("w", some)

    def remember(self, store: EmbeddedStore) -> None:
        made = memory(
            self._random.choice(INTENTS),
            self._some(COLUMNS),
            state=self._random.choice(["confirmed", "proposed", "refuted"]),
        )
        known = store.show_memories("w", [made.id])
        if known:
            made = memory(
                made.intent, made.objects, revision=known[0].revision, state=made.state, times=known[0].times + 1
            )
        vectors = (
            embeddings(self._vectors([made.intent_id]), model=self._model()) if self._random.random() < 0.7 else None
        )
        assert store.save_memories("w", [made], embeddings=vectors) == (True,)
        expected = Expectation(memory=made.id, objects=made.objects, scores=(1.0,) * len(made.objects), support=0.3)
        store.save_expectations("w", [expected], stamp=store.show_stamp("w"), form="")

    def embed(self, store: EmbeddedStore) -> None:
        store.save_embeddings("w", embeddings(self._vectors(COLUMNS), model=self._model()), of="objects")
        store.save_embeddings(
            "w", embeddings(self._vectors([intent_id(it) for it in INTENTS]), model=self._model()), of="intents"
        )

    def forget(self, store: EmbeddedStore) -> None:
        store.forget_memories("w", self._some([it.id for it in store.list_memories("w")]))

    def _some(self, ids: list[str]) -> list[str]:
        return self._random.sample(ids, min(len(ids), self._random.randint(1, 3)))

    def _vectors(self, ids: list[str]) -> dict[str, str]:
        return {key: self._random.choice(list(VECTORS)) for key in ids}

    def _model(self) -> str:
        return self._random.choice(["model-a", "model-a", "model-b"])


@pytest.mark.parametrize("seed", range(12))
def test_whoever_follows_reopens_or_needs_no_file_knows_the_same(
    store: EmbeddedStore, opening: Callable[[], EmbeddedStore], seed: int
) -> None:
    other, alone = opening(), open_store("memory://")
    alone.create_workspace("w", incarnation="alone", at=AT)
    writers = (store, other)
    turns = random.Random(seed)
    histories = (Histories(seed), Histories(seed))
    for turn in range(120):
        histories[0].write(turns.choice(writers))
        histories[1].write(alone)
        if turn % 10 == 9:
            told = snapshot(alone, "w", questions=QUESTIONS)
            assert snapshot(store, "w", questions=QUESTIONS) == told
            assert snapshot(other, "w", questions=QUESTIONS) == told
    assert snapshot(opening(), "w", questions=QUESTIONS) == told
    assert store.show_stamp("w").version == alone.show_stamp("w").version


def test_a_write_is_seen_by_the_next_operation_of_another(
    store: EmbeddedStore, opening: Callable[[], EmbeddedStore]
) -> None:
    other = opening()
    store.save_objects("w", [table("t"), column("t", "a")], embeddings=embeddings({"t.a": "x"}))
    question = Question(vector=unit("x"), model="model-a")
    assert other.evidence("w", question).cosines.ids == ("t.a",)
    other.remove_objects("w", ["t"])
    assert store.evidence("w", question).cosines.ids == ()
    assert store.changes("w", since=1).removed


def test_a_workspace_deleted_and_made_again_elsewhere_starts_empty(
    store: EmbeddedStore, opening: Callable[[], EmbeddedStore]
) -> None:
    other = opening()
    store.save_objects("w", [table("old")])
    assert other.show_workspace("w").tables == 1
    store.delete_workspace("w")
    with pytest.raises(UnknownWorkspace):
        other.show_workspace("w")
    store.create_workspace("w", incarnation="second", at=AT)
    store.save_objects("w", [table("new")])
    for each in (store, other, opening()):
        assert each.list_ids("w").objects == ("new",)
        assert each.show_stamp("w").incarnation == "second"


def test_a_deletion_and_a_return_between_two_looks(store: EmbeddedStore, opening: Callable[[], EmbeddedStore]) -> None:
    other = opening()
    store.save_objects(
        "w", [table("t"), column("t", "a")], references=[("t.a", "t.a")], embeddings=embeddings({"t.a": "x"})
    )
    store.save_memories("w", [memory("q", ["t.a"])])
    assert other.show_workspace("w").memories == 1
    store.remove_objects("w", ["t"])
    store.save_objects("w", [table("t"), column("t", "a", "back")])
    assert snapshot(other, "w") == snapshot(store, "w")
    assert not other.list_memories("w")[0].suspended
    assert other.list_unembedded("w", of="objects", model="model-a") == ("t", "t.a")


def test_whoever_is_far_behind_loads_afresh_and_old_tombstones_go(
    store: EmbeddedStore, opening: Callable[[], EmbeddedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "LAG", 40)
    monkeypatch.setattr(journal, "SWEEP", 10)
    behind = opening()
    store.save_memories("w", [memory("stays", ["t"])])
    assert behind.show_workspace("w").memories == 1
    for turn in range(40):
        made = memory(f"passing {turn}", ["t"])
        store.save_memories("w", [made])
        store.forget_memories("w", [made.id])
    (tombstones,) = store._journal._db.execute("SELECT count(*) FROM records WHERE body IS NULL").fetchone()  # type: ignore[attr-defined]
    assert tombstones <= 40
    assert snapshot(behind, "w") == snapshot(store, "w")


def test_records_and_replies_are_shared_and_bounded(store: EmbeddedStore, opening: Callable[[], EmbeddedStore]) -> None:
    other = opening()
    for minute in range(8):
        at = AT + timedelta(minutes=minute)
        made = Discovery(id=f"d{minute}", intent="q", retriever="blend", rule="default", results=("t",), at=at)
        (store, other)[minute % 2].record_discovery("w", made, keep=3, keep_since=AT)
    for each in (store, other, opening()):
        with each._reading("w") as graph:
            assert sorted(graph.discoveries) == ["d5", "d6", "d7"]
    reply = Reply(key="k", request="r", status=0, body="", at=AT)
    assert store.claim_reply("w", reply, keep_since=AT) is None
    assert other.claim_reply("w", reply, keep_since=AT) == reply
    other.drop_reply("w", "k")
    assert store.claim_reply("w", reply, keep_since=AT) is None


def test_what_was_deleted_goes_elsewhere_too_however_soon_tombstones_are_looked_for(
    opening: Callable[[], EmbeddedStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "SWEEP", 1)  # at every write
    one, other = opening(), opening()
    one.create_workspace("w", incarnation="1", at=AT)
    one.save_objects("w", [table("t"), table("u")])
    assert [it.id for it in other.list_objects("w")] == ["t", "u"]
    one.remove_objects("w", ["t"])
    one.save_objects("w", [table("v")])
    assert [it.id for it in other.list_objects("w")] == ["u", "v"]
