"""Exports and imports: from any store into any other, all that is not derived, and again without a trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO

import numpy as np
import pytest

from graph.embedded import open_store
from graph.embeddings import Embeddings
from graph.feedback import Trust
from graph.memories import OutcomeEvidence
from graph.store import Store
from kit.exports import exported, imported
from kit.oracles.snapshots import snapshot
from kit.values.samples import AT, BANK, BANK_REFERENCES, ODD_IDS, embeddings, intent_id, memory, table, unit
from services.transfer import import_graph


@pytest.fixture
def elsewhere() -> Iterator[Store]:
    """Another store, for what goes from one to another."""
    opened = open_store("memory://")
    yield opened
    opened.close()


def fill(store: Store, workspace: str) -> None:
    """Something of everything: all states and outcomes, what is gone and removed, two models, odd ids."""
    rows = np.random.default_rng(5).normal(size=(2, 24)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    store.save_objects(
        workspace, BANK, references=BANK_REFERENCES, embeddings=embeddings({"loan": "x", "account": "y"})
    )
    store.save_objects(workspace, [replace(table(key, 'říká\n"ano"\u2028'), data_type="") for key in ODD_IDS])
    two = Embeddings(model="jiný", ids=("loan.amount", ODD_IDS[0]), matrix=rows)
    store.save_embeddings(workspace, two, of="objects")
    spoken = OutcomeEvidence(
        kind="feedback", outcome="failure", at=AT + timedelta(hours=1), state="refuted", note="ne", discovery="d"
    )
    made = [
        memory("how many loans", ["loan", "loan.amount"], times=3),
        memory("how many loans", ["account"], state="proposed", successes=0),
        memory(
            "多少贷款", ["loan", "removed"], state="refuted", failures=2, evidence=(spoken, replace(spoken, note=""))
        ),
        memory("", [], statement="SELECT 'ř'\t?", dialect="sqlite"),
    ]
    store.save_objects(workspace, [table("removed")])
    store.save_memories(workspace, made, embeddings=embeddings({intent_id("how many loans"): "xz"}))
    store.save_memories(workspace, [replace(made[0], revision=1, successes=9, last_used_at=AT + timedelta(days=9))])
    store.remove_objects(workspace, ["removed"])
    store.save_objects(workspace, [], gone=["account.A2", "loan"])
    store.load_trust(
        workspace, [Trust(rule="ridge@k=3", lead=0.1 + 0.2, outcomes=4), Trust(rule="客", lead=-2.0, outcomes=1)]
    )


def test_a_copy_is_the_same_to_the_last_byte(store: Store, workspace: str, elsewhere: Store) -> None:
    fill(store, workspace)
    first = exported(store, workspace)
    into = imported(elsewhere, first)
    assert (into.updated, into.unchanged, into.rejected, into.truncated) == (0, 0, (), False)
    assert exported(elsewhere, workspace) == first
    before = snapshot(store, workspace)
    assert snapshot(elsewhere, workspace) == before
    assert elsewhere.show_workspace(workspace).created_at == store.show_workspace(workspace).created_at

    store.delete_workspace(workspace)
    back = imported(store, first)
    assert back == into
    assert snapshot(store, workspace) == before
    assert exported(store, workspace) == first


def test_the_same_again_changes_nothing(store: Store, workspace: str) -> None:
    fill(store, workspace)
    data = exported(store, workspace)
    before = store.show_stamp(workspace)
    again = imported(store, data)
    assert (again.imported, again.updated, again.rejections) == (0, 0, 0)
    assert again.unchanged == data.count(b"\n") - 2
    assert store.show_stamp(workspace) == before


def test_the_last_word_is_the_files_and_nothing_else_goes(store: Store, workspace: str) -> None:
    fill(store, workspace)
    data = exported(store, workspace)
    before = snapshot(store, workspace)
    changed = memory("how many loans", ["account"], state="confirmed", revision=1)
    store.save_memories(workspace, [changed], embeddings=embeddings({intent_id("how many loans"): "y"}))
    store.save_objects(workspace, [replace(BANK[3], description="renamed")], dropped_references=BANK_REFERENCES)
    store.save_embeddings(workspace, embeddings({"loan.amount": "z"}), of="objects")
    store.forget_memories(workspace, [memory("", []).id])
    report = imported(store, data)
    # changed: a table that came back, its column's vector, a memory, its intent's vector; not there: the rest
    assert (report.updated, report.imported, report.rejections) == (4, 2, 0)
    assert snapshot(store, workspace) == before
    store.save_objects(workspace, [table("new")])
    store.save_memories(workspace, [memory("new", ["new"])])
    later = exported(store, workspace)
    assert imported(store, data).updated == 0
    assert exported(store, workspace) == later


def test_what_is_gone_in_the_file_goes_and_what_is_back_comes(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK, embeddings=embeddings({"loan": "x"}))
    store.save_memories(workspace, [memory("whose", ["loan"])])
    live = exported(store, workspace)
    store.save_objects(workspace, [], gone=["loan"])
    gone = exported(store, workspace)
    for data, missing in ((live, ()), (gone, ("loan",)), (live, ())):
        report = imported(store, data)
        assert (report.updated, report.imported) == (1, 0)
        assert store.list_memories(workspace)[0].missing == missing
        assert exported(store, workspace) == data


class Dying(BytesIO):
    """A file whose reader is interrupted at a line."""

    left = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().readline(size)


@pytest.mark.parametrize("lines", [1, 9, 20, 30, 36])
def test_what_broke_off_is_taken_up(
    store: Store, workspace: str, elsewhere: Store, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.transfer.importing.BATCH_ROWS", 3)
    elsewhere.create_workspace(workspace, incarnation="a", at=AT)
    fill(elsewhere, workspace)
    data = exported(elsewhere, workspace)
    dying = Dying(data)
    dying.left = lines
    with pytest.raises(KeyboardInterrupt):
        import_graph(store, dying)
    there = imported(store, data)
    assert there.updated == 0
    assert there.unchanged >= (lines - 1) // 3 * 3 - 3
    assert there.rows == data.count(b"\n") - 2
    assert exported(store, workspace) == data


def test_several_workspaces_are_in_order_and_chosen_by_name(store: Store, workspace: str, elsewhere: Store) -> None:
    other = f"{workspace}-b"
    store.create_workspace(other, incarnation="b", at=datetime.now(UTC))
    store.save_objects(other, BANK)
    fill(store, workspace)
    both = exported(store, other, workspace)
    rows = [json.loads(line) for line in both.splitlines()]
    assert [row["name"] for row in rows if row.get("row") == "workspace"] == [workspace, other]
    assert imported(elsewhere, both, only=[other]).workspaces == (other,)
    assert [each.name for each in elsewhere.list_workspaces()] == [other]
    assert exported(elsewhere, other) == exported(store, other)
    imported(elsewhere, both)
    assert exported(elsewhere, workspace, other) == both
    store.delete_workspace(other)


def test_vectors_of_two_widths_under_one_name_are_refused_and_the_rest_goes_in(
    store: Store, workspace: str, elsewhere: Store
) -> None:
    elsewhere.create_workspace(workspace, incarnation="a", at=AT)
    fill(elsewhere, workspace)
    data = exported(elsewhere, workspace)
    store.save_objects(workspace, [table("wide")])
    wide = Embeddings(model="model-a", ids=("wide",), matrix=np.eye(1, 5, dtype=np.float32))
    store.save_embeddings(workspace, wide, of="objects")
    report = imported(store, data)
    assert {line.reason.partition(":")[2] for line in report.rejected} == {
        " embeddings of 5 dimensions under this model's name"
    }
    assert report.rejections == 2
    assert store.show_workspace(workspace).memories == 4
    assert unit("x").tobytes() not in {
        each.matrix.tobytes() for each in store.show_embeddings(workspace, ["loan"], of="objects")
    }
