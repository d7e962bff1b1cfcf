"""Sessions on every store: made once, listed by id, read as arrays, deleted with all they hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.chunks import CHUNK_KINDS, CHUNK_ROLES, Chunk
from graph.errors import UnknownSession, UnknownWorkspace
from graph.premises import Premise
from graph.store import Store
from kit.values.samples import AT
from kit.values.sessions import add, begin, chunk, chunks, digests, link, plain, told, tombstone


def test_a_session_is_made_once(store: Store, workspace: str) -> None:
    made, created = store.save_session(workspace, "s", incarnation="first", at=AT)
    assert (made.id, made.created_at, made.added, made.chunks, created) == ("s", AT, 0, 0, True)
    again, created = store.save_session(workspace, "s", incarnation="second", at=AT + timedelta(days=1))
    assert (again, created) == (made, False)
    older, _ = store.save_session(workspace, "s", incarnation="third", at=AT - timedelta(days=1), added=7)
    assert older == replace(made, created_at=AT - timedelta(days=1), added=7)
    assert store.show_session(workspace, "s") == older


def test_sessions_are_listed_by_id_and_page_by_page(store: Store, workspace: str) -> None:
    names = ["a/b", "会议", "\U0001f4dc", "\ufb01", "z"]
    for name in names:
        begin(store, workspace, name)
    assert [it.id for it in store.list_sessions(workspace)] == sorted(names)
    first = store.list_sessions(workspace, limit=2)
    assert [it.id for it in store.list_sessions(workspace, after=first[-1].id)] == sorted(names)[2:]


def test_a_session_is_read_as_arrays_in_order_of_ingestion(store: Store, workspace: str) -> None:
    call = chunk("客'/", tokens=5, importance=0.5, kind="call", role="assistant", call_id="c/1")
    begin(store, workspace, given=[chunk("z", pinned=True), call, chunk("a", kind="message", role="user")])
    link(store, workspace, {"a": ["z", "客'/"], "z": ["a"]})
    it = store.read_session(workspace, "s")
    assert it.ids == ("z", "客'/", "a")
    assert it.texts == ("text of z", "text of 客'/", "text of a")
    assert [CHUNK_KINDS[kind] for kind in it.kinds] == ["note", "call", "message"]
    assert [None if role < 0 else CHUNK_ROLES[role] for role in it.roles] == [None, "assistant", "user"]
    assert it.call_ids == (None, "c/1", None)
    assert it.positions.tolist() == [0, 1, 2]
    assert it.tokens.tolist() == [3, 5, 3]
    assert it.pinned.tolist() == [True, False, False]
    assert it.importance.tolist() == [0, 0.5, 0]
    assert list(zip(it.sources.tolist(), it.targets.tolist(), strict=True)) == [(0, 2), (2, 0), (2, 1)]
    assert (it.session.chunks, it.session.tokens, it.session.premises) == (3, 11, 3)


def test_what_is_read_is_of_the_session_as_it_is_now(store: Store, workspace: str) -> None:
    """Also where a write between two readings changed no chunk and no premise."""
    begin(store, workspace, given=[chunk("a"), chunk("b")])
    writes = (
        lambda: store.evict_chunks(workspace, "s", ["a"], at=AT, tombstones=[tombstone(chunk("a"))]),
        lambda: store.purge_chunks(workspace, "s", ["a"]),
        lambda: store.save_session(workspace, "s", incarnation="first", at=AT - timedelta(days=1), added=7),
        lambda: store.load_chunks(workspace, "s", [], tombstones=[tombstone(chunk("c"))]),
    )
    for write in writes:
        before = store.read_session(workspace, "s").session
        write()
        after = store.read_session(workspace, "s").session
        assert after == store.show_session(workspace, "s") != before


def test_a_session_that_counts_as_made_earlier_is_read_so(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a"))
    known = store.read_session(workspace, "s")
    earlier, _ = store.save_session(workspace, "s", incarnation="x", at=AT - timedelta(days=1), added=5)
    assert store.read_session(workspace, "s").session == earlier
    assert store.read_added(workspace, "s", since=known).session == earlier


def test_an_empty_session_is_read_as_empty(store: Store, workspace: str) -> None:
    begin(store, workspace)
    it = store.read_session(workspace, "s")
    assert (it.ids, it.texts, it.lost, len(it.sources), len(it.tokens)) == ((), (), (), 0, 0)


def test_a_premise_in_the_archive_is_told_as_lost(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b", "c"))
    link(store, workspace, {"c": ["a", "b"], "a": ["b"]})
    store.evict_chunks(workspace, "s", ["a"], at=AT)
    it = store.read_session(workspace, "s")
    assert it.ids == ("b", "c")
    assert list(zip(it.sources.tolist(), it.targets.tolist(), strict=True)) == [(1, 0)]
    assert it.lost == (("c", "a"),)


def test_a_session_that_is_read_on_is_as_if_read_anew(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b", "c"))
    link(store, workspace, {"c": ["a", "b"]})
    more = [
        Premise(chunk="e", premise="d"),
        Premise(chunk="d", premise="b", weight=0.5),
        Premise(chunk="e", premise="f"),
    ]
    told_anew = [Premise(chunk="a", premise="g")]

    def add_with(given: list[Chunk], premises: list[Premise]) -> None:
        store.add_chunks(workspace, "s", given, digests=digests(given), premises=premises)

    steps = (
        lambda: add(store, workspace, chunks("d")),
        lambda: add_with(chunks("e", "f"), more),
        lambda: add_with(chunks("g"), told_anew),  # of a chunk that was there
        lambda: link(store, workspace, {"g": ["b"]}),
        lambda: add(store, workspace, [chunk("b", pinned=True), chunk("h")]),
        lambda: add_with(chunks("i"), [Premise(chunk="g", premise="b", weight=0.5), Premise(chunk="i", premise="b")]),
        lambda: store.evict_chunks(workspace, "s", ["b", "h"], at=AT),
        lambda: add_with(chunks("j"), [Premise(chunk="j", premise="b")]),
        lambda: store.restore_chunks(workspace, "s", ["b"]),
        lambda: store.purge_chunks(workspace, "s", ["c"]),
        lambda: store.load_premises(workspace, "s", [Premise(chunk="j", premise="b", weight=0.25)]),
        lambda: store.load_chunks(workspace, "s", [chunk("k", position=20)]),
        lambda: add(store, workspace, chunks("l")),
        lambda: store.delete_session(workspace, "s"),
        lambda: begin(store, workspace, given=chunks("l", "a"), incarnation="second"),
        lambda: add(store, workspace, chunks("m")),
    )
    first = held = store.read_session(workspace, "s")
    for step in steps:
        step()
        if not store.list_sessions(workspace):
            continue
        anew = plain(store.read_session(workspace, "s"))
        held = store.read_added(workspace, "s", since=held)
        assert plain(held) == anew
        assert plain(store.read_added(workspace, "s", since=first)) == anew


def test_a_deleted_session_leaves_nothing(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b", "c"))
    begin(store, workspace, "other", chunks("a"))
    link(store, workspace, {"c": ["a", "b"]})
    store.evict_chunks(workspace, "s", ["b"], at=AT, tombstones=[tombstone(chunk("b"))])
    before = store.show_session(workspace, "s")
    assert store.delete_session(workspace, "s") == before
    assert (before.chunks, before.archived, before.premises, before.tombstones) == (2, 1, 2, 1)
    with pytest.raises(UnknownSession):
        store.show_session(workspace, "s")
    begin(store, workspace, given=chunks("a", "c"))
    assert store.list_premises(workspace, "s", ["a", "b", "c"]) == ()
    assert told(store, workspace)[0].premises == 0
    assert [it.position for it in store.list_chunks(workspace, "s")] == [0, 1]
    assert store.show_session(workspace, "other").chunks == 1


def test_an_unknown_session_is_said_so_by_every_operation(store: Store, workspace: str) -> None:
    begin(store, workspace)
    known = store.read_session(workspace, "s")
    asked = (
        lambda: store.show_session(workspace, "nix"),
        lambda: store.delete_session(workspace, "nix"),
        lambda: store.read_session(workspace, "nix"),
        lambda: store.read_added(workspace, "nix", since=known),
        lambda: add(store, workspace, chunks("a"), session="nix"),
        lambda: store.load_chunks(workspace, "nix", [chunk("a", position=0)]),
        lambda: store.list_chunks(workspace, "nix"),
        lambda: store.list_tombstones(workspace, "nix"),
        lambda: store.evict_chunks(workspace, "nix", ["a"], at=AT),
        lambda: store.restore_chunks(workspace, "nix", []),
        lambda: store.purge_chunks(workspace, "nix", ["a"]),
        lambda: store.show_chunk_embeddings(workspace, "nix"),
        lambda: store.add_premises(workspace, "nix", []),
        lambda: store.list_premises(workspace, "nix", ["a"]),
        lambda: store.save_beliefs(workspace, "nix", [Premise(chunk="a", premise="b", belief=0.5)]),
    )
    for number, ask in enumerate(asked):
        with pytest.raises(UnknownSession):
            pytest.fail(f"operation {number} answered {ask()}")


def test_sessions_of_an_unknown_workspace(store: Store) -> None:
    for ask in (
        lambda: begin(store, "t-nowhere"),
        lambda: store.list_sessions("t-nowhere"),
        lambda: store.show_session("t-nowhere", "s"),
        lambda: add(store, "t-nowhere", chunks("a")),
    ):
        with pytest.raises(UnknownWorkspace):
            ask()


def test_writes_to_a_session_move_its_version_and_no_other(store: Store, workspace: str) -> None:
    begin(store, workspace, "other", chunks("x"))
    begin(store, workspace)
    stamp, other = store.show_stamp(workspace), store.show_session(workspace, "other")
    versions = [store.show_session(workspace, "s").version]
    for write in (
        lambda: add(store, workspace, chunks("a", "b", "c")),
        lambda: add(store, workspace, [chunk("a", pinned=True)]),
        lambda: link(store, workspace, {"b": ["a"]}),
        lambda: store.evict_chunks(workspace, "s", ["a"], at=AT),
        lambda: store.restore_chunks(workspace, "s", ["a"]),
        lambda: store.purge_chunks(workspace, "s", ["a"]),
    ):
        write()
        versions.append(store.show_session(workspace, "s").version)
    assert versions == sorted(set(versions))
    for nothing in (
        lambda: add(store, workspace, chunks("b")),
        lambda: link(store, workspace, {}),
        lambda: store.evict_chunks(workspace, "s", ["nix"], at=AT),
        lambda: store.restore_chunks(workspace, "s", ["b"]),
        lambda: store.purge_chunks(workspace, "s", ["a"]),
    ):
        nothing()
        assert store.show_session(workspace, "s").version == versions[-1]
    assert store.show_stamp(workspace) == stamp
    assert store.show_session(workspace, "other") == other
