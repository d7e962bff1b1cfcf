"""Rows, columns and the best of many rows, against the plain way of saying the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.embedded.arrays import Column, Rows, first_rows, nearest_rows, rounded
from graph.embedded.sorted_keys import SortedKeys, VersionLog

FEW_VALUES = st.sampled_from([0.0, 0.25, 0.5, 1.0])  # many ties


def test_rows_that_left_are_used_again() -> None:
    rows = Rows()
    assert [rows.take(key) for key in "abca"] == [0, 1, 2, 0]
    assert rows.leave("b") == 1
    assert rows.leave("b") is None
    assert rows.find(["a", "b", "c"]).tolist() == [0, -1, 2]
    assert rows.take("d") == 1
    assert (rows.ids, len(rows)) == (["a", "d", "c"], 3)


def test_columns_grow_and_are_viewed_not_copied() -> None:
    rows, column = Rows(), Column(np.float64, fill=7)
    for n in range(300):
        rows.take(str(n))
    column.put(200, 1.0)
    view = column.view(rows)
    assert (view[199], view[200], view[299]) == (7, 1, 7)
    column.put(5, 2.0)
    assert view[5] == 2
    column.clear(5)
    column.clear(10_000)
    assert view[5] == 7


@given(st.lists(st.tuples(FEW_VALUES, FEW_VALUES), max_size=40), st.integers(-1, 45), st.randoms())
def test_the_first_rows_are_those_of_a_full_sort(pairs: list[tuple[float, float]], limit: int, random: object) -> None:
    ids = [f"id{n:02}" for n in range(len(pairs))]
    random.shuffle(ids)  # type: ignore[attr-defined]
    first, second = (np.array([pair[n] for pair in pairs], dtype=np.float64) for n in (0, 1))
    asked = np.arange(len(pairs))[::2]
    expected = sorted(asked.tolist(), key=lambda row: (-first[row], -second[row], ids[row]))[: max(limit, 0)]
    assert first_rows(asked, by=[first, second], ids=ids, limit=limit) == expected


@given(st.lists(st.integers(-20, 20) | st.none(), max_size=60), st.integers(0, 70))
def test_nearest_rows_are_cut_after_rounding(steps: list[int | None], limit: int) -> None:
    # steps of .3e-6: several round to one value, and the cut falls among them
    cosines = np.array([-np.inf if step is None else 0.5 + step * 3e-7 for step in steps], dtype=np.float32)
    ids = [f"id{(7 * n) % 61:02}" for n in range(len(steps))]
    there = [row for row, step in enumerate(steps) if step is not None]
    exact = dict(zip(there, rounded(cosines[there]).tolist(), strict=True))
    expected = sorted(there, key=lambda row: (-exact[row], ids[row]))[:limit]
    assert nearest_rows(cosines, ids=ids, limit=limit) == [(row, exact[row]) for row in expected]


def test_rounding_leaves_no_negative_zero() -> None:
    assert str(rounded(np.array([-1e-9, 0.1234567], dtype=np.float32)).tolist()) == "[0.0, 0.123457]"


@given(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 300), max_size=150)), max_size=12))
def test_sorted_keys_are_a_sorted_set(steps: list[tuple[bool, set[int]]]) -> None:
    keys: SortedKeys[int] = SortedKeys()
    expected: set[int] = set()
    for adds, some in steps:
        if adds:
            for key in some - expected:
                keys.add(key)
            expected |= some
        else:
            keys.discard(some)
            expected -= some
        assert len(keys) == len(expected)
    assert keys.all() == sorted(expected)
    assert list(keys.after(150)) == [key for key in sorted(expected) if key > 150]
    assert list(keys.after(None)) == sorted(expected)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), max_size=300), st.integers(0, 300))
def test_the_log_knows_what_is_newer(steps: list[tuple[bool, str]], since: int) -> None:
    log = VersionLog()
    latest: dict[str, int] = {}
    for version, (writes, key) in enumerate(steps, start=1):
        if writes:
            log.write(key, version)
            latest[key] = version
        else:
            log.drop(key)
            latest.pop(key, None)
        if version % 50 == 0:
            log.since(version - 3)  # settles what there is
    assert log.since(since) == sorted(key for key, version in latest.items() if version > since)


def test_the_log_stays_as_short_as_its_keys() -> None:
    log = VersionLog()
    for version in range(1, 1000):
        log.write("same", version)
        assert log.since(version - 1) == ["same"]
    assert len(log._keys) < 100


def test_the_log_stays_short_though_nobody_looks_and_versions_come_mixed() -> None:
    log = VersionLog()
    for version in range(1, 1000):
        log.write("same", version)
    assert len(log._keys) + len(log._pending) < 200
    for version in range(2999, 1999, -1):
        log.write(str(version), version)
        assert log.since(2998) == ["2999"]
    assert log.since(2000) == [str(version) for version in range(2001, 3000)]


def test_growth_is_amortised(monkeypatch: pytest.MonkeyPatch) -> None:
    grown = []
    grow = Column._grow
    monkeypatch.setattr(Column, "_grow", lambda column, needed: (grown.append(needed), grow(column, needed)))
    column = Column(np.float32, width=2)
    for row in range(10_000):
        column.put(row, (1.0, 0.0))
    assert len(grown) < 12
