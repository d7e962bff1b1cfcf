"""Records of answers: kept quietly, bounded in number and age, one workspace's own."""

from __future__ import annotations

from datetime import timedelta

from graph.ports import Store
from graph.values import Discovery
from samples import AT, BANK
from snapshots import snapshot


def record(number: int) -> Discovery:
    return Discovery(
        id=f"d_{number:04}",
        intent="kolik účtů 🜚",
        retriever="blend",
        rule="default",
        results=("loan", "account", "nix"),
        at=AT + timedelta(seconds=number),
    )


def test_records_move_no_version_and_are_in_no_other_answer(store: Store, workspace: str) -> None:
    store.save_objects(workspace, BANK)
    before, stamp = snapshot(store, workspace), store.show_stamp(workspace)
    for number in range(5):
        store.record_discovery(workspace, record(number), keep=3, keep_since=AT - timedelta(days=1))
    store.record_discovery(workspace, record(4), keep=3, keep_since=AT - timedelta(days=1))
    assert store.show_stamp(workspace) == stamp
    assert snapshot(store, workspace) == before
