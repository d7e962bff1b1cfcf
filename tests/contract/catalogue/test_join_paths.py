"""How tables join: shortest paths over references, the same on every store, whatever is gone and however ids sort."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from graph.catalogue import JOIN_STEPS, JoinPath
from graph.errors import UnknownWorkspace
from graph.store import Store
from kit.values.samples import ODD_IDS, column, table


def load(store: Store, workspace: str, *references: tuple[str, str]) -> None:
    """Tables of the ends' first parts, each with the columns that the ends name after `.`."""
    ends = sorted({end for pair in references for end in pair})
    tables = sorted({end.rpartition(".")[0] for end in ends})
    objects = [*map(table, tables), *(column(end.rpartition(".")[0], end.rpartition(".")[2]) for end in ends)]
    store.save_objects(workspace, objects, references=references)


def tables_of(paths: Iterable[JoinPath]) -> list[tuple[str, ...]]:
    return [path.tables for path in paths]


def test_two_tables_join_by_the_references_between_them_either_way(store: Store, workspace: str) -> None:
    load(store, workspace, ("a.x", "b.x"), ("a.y", "b.y"), ("b.z", "a.z"))
    [path] = store.join_paths(workspace, ["b", "a"])
    assert path == JoinPath(tables=("b", "a"), steps=((("a.x", "b.x"), ("a.y", "b.y"), ("b.z", "a.z")),))


def test_a_path_goes_through_tables_that_nobody_named_and_is_the_shortest(store: Store, workspace: str) -> None:
    load(store, workspace, ("a.m", "m.id"), ("b.m", "m.id"), ("a.p", "p.id"), ("p.q", "q.id"), ("b.q", "q.id"))
    [path] = store.join_paths(workspace, ["a", "b"])
    assert path == JoinPath(tables=("a", "m", "b"), steps=((("a.m", "m.id"),), (("b.m", "m.id"),)))
    assert tables_of(store.join_paths(workspace, ["a", "b", "q"])) == [("a", "m", "b"), ("a", "p", "q"), ("b", "q")]


def test_of_paths_as_short_the_first_by_its_ids_is_taken(store: Store, workspace: str) -> None:
    bridges = ("ﾃｰﾌﾞﾙ～", "🜚", "m2", "m10")  # by code points, m10 is first and 🜚 last
    load(store, workspace, *(pair for it in bridges for pair in (("a.x", f"{it}.id"), ("b.x", f"{it}.id"))))
    assert tables_of(store.join_paths(workspace, ["a", "b"])) == [("a", "m10", "b")]
    store.remove_objects(workspace, ["m10", "m2"])
    assert tables_of(store.join_paths(workspace, ["a", "b"])) == [("a", "ﾃｰﾌﾞﾙ～", "b")]


def test_no_path_is_longer_than_the_limit(store: Store, workspace: str) -> None:
    chain = [(f"t{n}.up", f"t{n + 1}.id") for n in range(JOIN_STEPS + 1)]
    load(store, workspace, *chain)
    ends = ["t0", f"t{JOIN_STEPS}", f"t{JOIN_STEPS + 1}"]
    paths = store.join_paths(workspace, ends)
    assert [(path.tables[0], path.tables[-1], len(path.steps)) for path in paths] == [
        (ends[0], ends[1], JOIN_STEPS),
        (ends[1], ends[2], 1),
    ]


def test_what_is_gone_joins_nothing(store: Store, workspace: str) -> None:
    load(store, workspace, ("a.m", "m.id"), ("b.m", "m.id"), ("a.n", "n.id"), ("b.n", "n.id"))
    assert tables_of(store.join_paths(workspace, ["a", "b"])) == [("a", "m", "b")]
    store.save_objects(workspace, [], gone=["m.id"])
    assert tables_of(store.join_paths(workspace, ["a", "b"])) == [("a", "n", "b")]
    store.save_objects(workspace, [], gone=["n"])
    assert store.join_paths(workspace, ["a", "b"]) == ()
    assert store.join_paths(workspace, ["a", "m", "n", "nowhere", "a.m"]) == ()


def test_a_table_that_refers_to_itself_and_tables_apart_have_no_path(store: Store, workspace: str) -> None:
    load(store, workspace, ("a.boss", "a.id"), ("b.x", "c.x"))
    assert tables_of(store.join_paths(workspace, ["a", "b", "c"])) == [("b", "c")]
    assert store.join_paths(workspace, []) == store.join_paths(workspace, ["a"]) == ()


def test_ids_of_any_kind_join(store: Store, workspace: str) -> None:
    load(store, workspace, *((f"{odd}.x", "hub.id") for odd in ODD_IDS))
    found = store.join_paths(workspace, [*ODD_IDS, "hub"])
    assert len(found) == len(ODD_IDS) * (len(ODD_IDS) + 1) // 2
    assert {path.tables[1] for path in found} == {"hub"}


def test_an_unknown_workspace_is_told(store: Store) -> None:
    with pytest.raises(UnknownWorkspace):
        store.join_paths("t-none", ["a", "b"])
