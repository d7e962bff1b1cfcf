"""Sessions in exports and imports: archive, premises, beliefs, vectors, tombstones, from any store into any other."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from typing import Any

from graph.embedded import open_store
from graph.premises import Premise
from graph.store import Store
from kit.exports import changed, exported, imported
from kit.values.samples import AT, embeddings
from kit.values.sessions import add, begin, chunk, chunks, link, told, tombstone


def stocked_session(store: Store, workspace: str, session: str = "s/会") -> None:
    """Live, pinned and archived chunks, a gap where one was purged, vectors, beliefs, tombstones."""
    given = [
        chunk("a", pinned=True),
        chunk("b", importance=0.5, kind="message", role="user"),
        chunk("客'/", "贷款违约风险", tokens=7, kind="call", role="assistant", call_id="call/1"),
        chunk("d", kind="result", role="tool", call_id="call/1"),
        chunk("e"),
    ]
    begin(store, workspace, session, given)
    link(store, workspace, {"客'/": ["a", "b"], "d": ["客'/", "e"], "e": ["d"]}, session=session)
    store.add_premises(workspace, session, [Premise(chunk="b", premise="a", grade="inferred", weight=0.625)])
    believed = Premise(chunk="d", premise="客'/", belief=0.75, reasons=("it comes earlier",))
    store.save_beliefs(workspace, session, [believed])
    store.save_chunk_embeddings(workspace, session, embeddings({"a": "x", "b": "xy"}))
    store.evict_chunks(workspace, session, ["b", "e"], at=AT, tombstones=[tombstone(chunk("b"))])
    store.purge_chunks(workspace, session, ["e"])
    begin(store, workspace, "empty")


def test_sessions_move_with_archive_premises_beliefs_and_tombstones(store: Store, workspace: str) -> None:
    stocked_session(store, workspace)
    data = exported(store, workspace)
    kinds = Counter(json.loads(line).get("row") for line in data.splitlines())
    assert (kinds["session"], kinds["chunk"], kinds["premise"], kinds["tombstone"]) == (2, 4, 4, 1)
    with closing(open_store("memory://")) as other:
        report = imported(other, data)
        assert (report.rejected, report.imported) == ((), 1 + 2 + 4 + 4 + 1)
        assert exported(other, workspace) == data
        assert told(other, workspace, "s/会") == told(store, workspace, "s/会")
        again = imported(other, data)
        assert (again.imported, again.updated, again.unchanged) == (0, 0, report.imported)
        before = data
        add(other, workspace, chunks("new"), session="s/会")
        [new] = other.list_chunks(workspace, "s/会", after=4)
        assert new.position == 5  # those of purged chunks are not given again
        back = exported(other, workspace)
    store.delete_workspace(workspace)
    imported(store, back)
    assert exported(store, workspace) == back
    imported(store, before)  # what it does not name stays
    assert [it.id for it in store.list_chunks(workspace, "s/会")] == ["a", "客'/", "d", "new"]


def test_a_session_that_differs_is_made_what_the_file_says(store: Store, workspace: str) -> None:
    stocked_session(store, workspace)
    data = exported(store, workspace)
    store.restore_chunks(workspace, "s/会", ["b"])
    add(store, workspace, [chunk("a", tokens=9)], session="s/会")
    link(store, workspace, {"b": ["a"]}, session="s/会")  # declared now
    assert exported(store, workspace) != data
    report = imported(store, data)
    assert (report.imported, report.updated) == (1, 3)  # the tombstone; two chunks and a premise
    assert exported(store, workspace) == data


def test_lines_of_sessions_that_cannot_be_used_are_told(store: Store, workspace: str) -> None:
    stocked_session(store, workspace)
    data = exported(store, workspace)
    store.delete_workspace(workspace)

    def spoil(row: dict[str, Any]) -> None:
        if row["row"] == "chunk" and row["id"] == "d":
            row["position"] = 0  # where another is
        if row["row"] == "premise" and row["grade"] == "inferred":
            row["weight"] = 1.5

    report = imported(store, changed(data, spoil))
    reasons = [it.reason for it in report.rejected]
    assert len(reasons) == 3  # the two, and the premise of the chunk that did not go in
    assert "position 0" in reasons[0]
    assert any("`weight`" in reason for reason in reasons)
    assert store.show_session(workspace, "s/会").premises == 2
