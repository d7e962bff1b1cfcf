"""Premises on every store: refused where they point nowhere, joined where they repeat, safe on loops and cycles."""

from __future__ import annotations

from itertools import permutations

import pytest

from graph.errors import UnknownChunks
from graph.premises import Premise
from graph.store import Store
from kit.values.samples import AT
from kit.values.sessions import begin, chunks, link, told


def test_a_premise_that_points_nowhere_is_refused_with_what_it_names(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    before = told(store, workspace)
    wrong = [Premise(chunk="a", premise="b"), Premise(chunk="a", premise="nix"), Premise(chunk="nada", premise="nada")]
    with pytest.raises(UnknownChunks) as refused:
        store.add_premises(workspace, "s", wrong)
    assert refused.value.ids == ("nada", "nix")
    assert told(store, workspace) == before


def test_a_chunk_of_another_session_is_unknown(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a"))
    begin(store, workspace, "t", chunks("b"))
    with pytest.raises(UnknownChunks):
        link(store, workspace, {"a": ["b"]})


def test_loops_cycles_and_duplicates_are_safe(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b"))
    given = [Premise(chunk=i, premise=j) for i, j in (("a", "a"), ("a", "b"), ("b", "a"), ("a", "b"))]
    done = store.add_premises(workspace, "s", given)
    assert (done.added, done.updated, done.unchanged) == (2, 0, 0)
    assert store.show_session(workspace, "s").premises == 2
    again = store.add_premises(workspace, "s", given)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 2)


def test_the_most_trusted_grade_and_the_largest_weight_stay_in_any_order(store: Store, workspace: str) -> None:
    grades = (("inferred", 0.5), ("observed", 0.25), ("declared", 0.125))
    for number, order in enumerate(permutations(grades)):
        begin(store, workspace, f"s{number}", chunks("a", "b"))
        for grade, weight in order:
            given = [Premise(chunk="a", premise="b", grade=grade, weight=weight)]  # type: ignore[arg-type]
            store.add_premises(workspace, f"s{number}", given)
        assert store.list_premises(workspace, f"s{number}", ["a"]) == (
            Premise(chunk="a", premise="b", grade="declared", weight=0.5),
        )


def test_premises_reach_into_the_archive(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b", "c"))
    store.evict_chunks(workspace, "s", ["a"], at=AT)
    link(store, workspace, {"a": ["b"], "c": ["a"]})
    assert [(it.chunk, it.premise) for it in store.list_premises(workspace, "s", ["c", "a", "a"])] == [
        ("a", "b"),
        ("c", "a"),
    ]
    assert store.read_session(workspace, "s").lost == (("c", "a"),)
    store.restore_chunks(workspace, "s", ["a"])
    assert len(store.read_session(workspace, "s").sources) == 2


def test_beliefs_are_noted_with_their_reasons_and_move_no_version(store: Store, workspace: str) -> None:
    begin(store, workspace, given=chunks("a", "b", "c"))
    link(store, workspace, {"a": ["b", "c"]})
    version = store.show_session(workspace, "s").version
    believed = Premise(chunk="a", premise="b", belief=0.75, reasons=("comes earlier", "shares 'x_1'"))
    nowhere = Premise(chunk="b", premise="c", belief=0.5)
    assert store.save_beliefs(workspace, "s", [believed, nowhere]) == 1
    assert store.list_premises(workspace, "s", ["a", "b"]) == (believed, Premise(chunk="a", premise="c"))
    assert store.show_session(workspace, "s").version == version
    link(store, workspace, {"a": ["b"]})  # added again without a belief: what is believed of it stays
    assert store.list_premises(workspace, "s", ["a"])[0] == believed


def test_a_cycle_of_1000_and_a_chain_of_1100(store: Store, workspace: str) -> None:
    given = chunks(*(f"c{number}" for number in range(1_100)))
    begin(store, workspace, given=given)
    pairs = [Premise(chunk=f"c{i}", premise=f"c{(i + 1) % 1_000}") for i in range(1_000)]
    pairs += [Premise(chunk=f"c{i + 1}", premise=f"c{i}") for i in range(1_099)]
    done = store.add_premises(workspace, "s", pairs)
    assert done.added == len(pairs) == done.session.premises
    it = store.read_session(workspace, "s")
    assert len(it.sources) == len(pairs)
