"""Chunks on every store: added once and in order, archived, brought back, purged, copied."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graph.embeddings import Embeddings
from graph.errors import ChunkConflict, InvalidInput
from graph.premises import Premise
from graph.store import Store
from kit.values.samples import AT, embeddings
from kit.values.sessions import add, begin, chunk, chunks, digests, link, told, tombstone


def test_chunks_keep_the_order_of_ingestion(store: Store, workspace: str) -> None:
    begin(store, workspace)
    add(store, workspace, chunks("z", "a"))
    add(store, workspace, chunks("m"))
    assert [(it.id, it.position) for it in store.list_chunks(workspace, "s")] == [("z", 0), ("a", 1), ("m", 2)]
    assert [it.id for it in store.list_chunks(workspace, "s", after=0, limit=1)] == ["a"]


def test_adding_again_adds_nothing(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    before = told(store, workspace)
    done = add(store, workspace, chunks("b", "c", "a"))
    assert (done.added, done.unchanged, done.updated) == (("c",), ("b", "a"), ())
    assert done.session == store.show_session(workspace, "s")
    assert told(store, workspace)[1][:2] == before[1]


def test_another_text_under_an_id_is_a_conflict_and_nothing_is_added(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    store.evict_chunks(workspace, "s", ["b"], at=AT)
    before = told(store, workspace)
    with pytest.raises(ChunkConflict) as refused:
        add(store, workspace, [chunk("new"), chunk("b", "other"), chunk("a", "another")])
    assert refused.value.ids == ("a", "b")
    assert told(store, workspace) == before


def test_half_a_character_is_refused_and_nothing_is_added(store: Store, workspace: str) -> None:
    begin(store, workspace)
    with pytest.raises(InvalidInput):
        add(store, workspace, [chunk("a"), chunk("b", "half \ud800")])
    assert store.list_chunks(workspace, "s") == ()


def test_pin_tokens_and_importance_can_be_changed(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    done = add(store, workspace, [chunk("a", pinned=True, tokens=9, importance=0.25), chunk("b")])
    assert (done.updated, done.unchanged, done.session.tokens) == (("a",), ("b",), 12)
    assert store.list_chunks(workspace, "s", limit=1) == (
        chunk("a", pinned=True, tokens=9, importance=0.25, position=0),
    )


def test_kind_role_and_call_id_are_kept_and_can_be_changed(store: Store, workspace: str) -> None:
    asked = chunk("a", kind="message", role="user")
    made = chunk("b", kind="call", role="assistant", call_id="toolu/1")
    begin(store, workspace, given=[asked, made, chunk("c")])
    shown = (replace(asked, position=0), replace(made, position=1), chunk("c", position=2))
    assert store.list_chunks(workspace, "s") == shown
    assert (shown[2].kind, shown[2].role, shown[2].call_id) == ("note", None, None)
    assert add(store, workspace, [asked, made]).unchanged == ("a", "b")
    for number, changed in enumerate((replace(asked, kind="note"), replace(made, call_id=None), chunk("a"))):
        done = add(store, workspace, [changed])
        assert (done.updated, done.unchanged) == ((changed.id,), ()), number
    assert store.list_chunks(workspace, "s", limit=2) == (
        chunk("a", position=0), replace(made, call_id=None, position=1),
    )  # fmt: skip
    store.evict_chunks(workspace, "s", ["b"], at=AT)
    [archived] = store.list_chunks(workspace, "s", archived=True)
    assert (archived.kind, archived.role, archived.call_id) == ("call", "assistant", None)


def test_an_evicted_chunk_is_out_of_every_list_until_it_is_restored(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b", "c"))
    link(store, workspace, {"c": ["a"], "b": ["a"]})
    before = told(store, workspace)
    assert store.evict_chunks(workspace, "s", ["b", "a", "nix", "a"], at=AT) == ("a", "b")
    assert [it.id for it in store.list_chunks(workspace, "s")] == ["c"]
    assert store.read_session(workspace, "s").texts == ("text of c",)
    archived = store.list_chunks(workspace, "s", archived=True)
    assert [(it.id, it.archived_at, it.position) for it in archived] == [("a", AT, 0), ("b", AT, 1)]
    assert add(store, workspace, chunks("a")).archived == ("a",)
    assert store.evict_chunks(workspace, "s", ["a"], at=AT) == ()
    assert store.restore_chunks(workspace, "s", ["b", "a", "c", "nix"]) == ("a", "b")
    assert told(store, workspace) == before


def test_a_tombstone_is_put_up_only_where_it_is_given_and_keeps_a_chunk_from_coming_back(
    store: Store, workspace: str
) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    stones = [tombstone(chunk("a")), tombstone(chunk("nix"))]
    store.evict_chunks(workspace, "s", ["a", "b"], at=AT, tombstones=stones)
    assert store.list_tombstones(workspace, "s") == (stones[0],)
    assert store.purge_chunks(workspace, "s", ["a", "b"]) == ("a", "b")
    done = add(store, workspace, chunks("a", "b"))
    assert (done.buried, done.added) == (("a",), ("b",))
    assert add(store, workspace, [chunk("a", "something else")]).added == ("a",)
    assert store.show_session(workspace, "s").tombstones == 1


def test_restoring_takes_the_tombstone_away(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a"))
    store.evict_chunks(workspace, "s", ["a"], at=AT, tombstones=[tombstone(chunk("a"))])
    store.restore_chunks(workspace, "s", ["a"])
    assert store.list_tombstones(workspace, "s") == ()
    assert store.show_session(workspace, "s").tombstones == 0


def test_a_purged_chunk_is_gone_with_its_premises_and_its_position_is_not_given_again(
    store: Store, workspace: str
) -> None:
    begin(store, workspace, given=chunks("a", "b", "c", "d"))
    link(store, workspace, {"c": ["a", "b"], "b": ["a", "c"], "d": ["c"]})
    store.evict_chunks(workspace, "s", ["a"], at=AT)
    assert store.purge_chunks(workspace, "s", ["b", "a", "nix"]) == ("a", "b")
    session, live, archived, premises, *_ = told(store, workspace)
    assert (session.chunks, session.archived, session.premises, session.tokens) == (2, 0, 1, 6)
    assert [it.id for it in live] == ["c", "d"]
    assert archived == ()
    assert [(it.chunk, it.premise) for it in premises] == [("d", "c")]
    add(store, workspace, chunks("b"))
    assert [(it.id, it.position) for it in store.list_chunks(workspace, "s")] == [("c", 2), ("d", 3), ("b", 4)]
    assert store.list_premises(workspace, "s", ["b"]) == ()


def test_chunks_are_copied_as_they_are(store: Store, workspace: str) -> None:
    begin(store, workspace, "s", [chunk("a"), chunk("b", pinned=True, importance=0.5), chunk("c")])
    store.evict_chunks(workspace, "s", ["c"], at=AT, tombstones=[tombstone(chunk("c"))])
    _, live, archived, _, stones, *_ = told(store, workspace)
    begin(store, workspace, "t")
    for _ in range(2):
        store.load_chunks(workspace, "t", [*live, *archived], tombstones=stones)
        assert [*told(store, workspace, "t")[1:5]] == [live, archived, (), stones]
    version = store.show_session(workspace, "t").version
    store.load_chunks(workspace, "t", live, tombstones=stones)
    assert store.show_session(workspace, "t").version == version
    assert store.show_session(workspace, "t").added == 3
    store.load_chunks(workspace, "t", [replace(archived[0], archived_at=None, text="new"), replace(live[0], tokens=8)])
    session = store.show_session(workspace, "t")
    assert (session.chunks, session.archived, session.tokens) == (3, 0, 14)
    store.load_chunks(workspace, "t", [replace(live[0], archived_at=AT)])
    session = store.show_session(workspace, "t")
    assert (session.chunks, session.archived, session.tokens) == (2, 1, 6)


def test_two_chunks_never_share_a_position(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    store.evict_chunks(workspace, "s", ["b"], at=AT)
    before = told(store, workspace)
    for wrong in (
        [chunk("x", position=0)],
        [chunk("x", position=1)],
        [chunk("x", position=5), chunk("y", position=5)],
        [chunk("x", position=-1)],
    ):
        with pytest.raises(InvalidInput):
            store.load_chunks(workspace, "s", wrong)
    assert told(store, workspace) == before


def test_embeddings_come_back_bit_for_bit_and_go_with_the_chunk(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b", "c"))
    given = embeddings({"a": "x", "c": "xy", "nix": "y"})
    version = store.show_session(workspace, "s").version
    store.save_chunk_embeddings(workspace, "s", given)
    [found] = store.show_chunk_embeddings(workspace, "s")
    assert (found.model, found.ids) == (given.model, ("a", "c"))
    assert np.array_equal(found.matrix, given.matrix[:2])
    store.evict_chunks(workspace, "s", ["c"], at=AT)
    assert [it.ids for it in store.show_chunk_embeddings(workspace, "s")] == [("a",)]
    assert [it.ids for it in store.show_chunk_embeddings(workspace, "s", ids=["c", "b"])] == [("c",)]
    store.purge_chunks(workspace, "s", ["a", "c"])
    add(store, workspace, chunks("a"))
    assert store.show_chunk_embeddings(workspace, "s") == ()
    assert store.show_session(workspace, "s").version > version


def test_embeddings_travel_in_parts(in_batches: tuple[Store, str]) -> None:
    """A server has to hold in its memory what one transaction, or one record, has of them."""
    store, workspace = in_batches
    begin(store, workspace, given=chunks("a", "b", "c", "d", "e", "f", "g"))
    store.purge_chunks(workspace, "s", ["c"])
    given = embeddings(dict.fromkeys(("a", "d", "e", "f", "g"), "x"))
    store.save_chunk_embeddings(workspace, "s", given)
    store.evict_chunks(workspace, "s", ["f"], at=AT)
    assert [it.ids for it in store.show_chunk_embeddings(workspace, "s")] == [("a", "d", "e", "g")]
    asked = store.show_chunk_embeddings(workspace, "s", ids=["g", "f", "b", "a"])
    assert [it.ids for it in asked] == [("a", "f", "g")]


def test_embeddings_of_two_widths_do_not_mix(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    store.save_chunk_embeddings(workspace, "s", embeddings({"a": "x"}))
    wide = Embeddings(model=embeddings({"a": "x"}).model, ids=("b",), matrix=np.eye(1, 9, dtype=np.float32))
    with pytest.raises(InvalidInput):
        store.save_chunk_embeddings(workspace, "s", wide)
    with pytest.raises(InvalidInput):
        store.save_chunk_embeddings(workspace, "s", replace(wide, matrix=np.full((1, 3), np.nan, dtype=np.float32)))
    store.save_chunk_embeddings(workspace, "s", replace(wide, model="another"))
    assert [it.model for it in store.show_chunk_embeddings(workspace, "s")] == sorted(
        ["another", embeddings({"a": "x"}).model]
    )


def test_chunks_of_one_call_travel_in_batches(in_batches: tuple[Store, str]) -> None:
    store, workspace = in_batches
    given = [chunk(f"c{number}", f"number {number % 7}") for number in range(23)]
    begin(store, workspace)
    premises = [Premise(chunk=it.id, premise="c0") for it in given[1:]]
    added = store.add_chunks(workspace, "s", given, digests=digests(given), premises=premises)
    assert (len(added.added), added.session.premises) == (23, 22)
    assert store.read_session(workspace, "s").ids == tuple(it.id for it in given)
    half = [it.id for it in given[::2]]
    assert len(store.evict_chunks(workspace, "s", half, at=AT)) == 12
    assert len(store.restore_chunks(workspace, "s", half)) == 12
    assert len(store.purge_chunks(workspace, "s", half)) == 12
    assert store.show_session(workspace, "s").chunks == 11
