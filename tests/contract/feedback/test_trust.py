"""Trust: what outcomes of recorded answers earn each rule, counted once, within bounds, forgotten on request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from graph.errors import UnknownWorkspace
from graph.evidence import Question
from graph.feedback import Discovery, Trial, Trust
from graph.store import Store
from kit.values.samples import AT

TRIALS = (Trial(rule="none", results=("a", '客"[,')), Trial(rule="default", results=()))


def record(store: Store, workspace: str, name: str, *, trials: tuple[Trial, ...] = TRIALS) -> Discovery:
    made = Discovery(id=name, intent="kolik 🜚", retriever="blend", rule="default", results=("a",), at=AT, trials=trials)
    store.record_discovery(workspace, made, keep=99, keep_since=AT - timedelta(days=1))
    return made


def test_records_are_shown_as_they_were_kept(store: Store, workspace: str) -> None:
    made = record(store, workspace, "d2"), record(store, workspace, "d1", trials=())
    assert store.show_discoveries(workspace, ["d2", "nix", "d1", "d2"]) == (made[1], made[0])
    assert store.show_discoveries(workspace, []) == ()


def test_an_outcome_counts_once(store: Store, workspace: str) -> None:
    record(store, workspace, "d1")
    stamp = store.show_stamp(workspace)
    gains = {"default": 0.25, "ridge@k=3": -0.5}
    assert store.earn_trust(workspace, "d1", gains, bound=2.0)
    assert not store.earn_trust(workspace, "d1", gains, bound=2.0)
    assert not store.earn_trust(workspace, "nix", gains, bound=2.0)
    earned = (Trust(rule="default", lead=0.25, outcomes=1), Trust(rule="ridge@k=3", lead=-0.5, outcomes=1))
    assert store.list_trust(workspace) == earned
    assert store.evidence(workspace, Question()).trust == earned
    assert store.show_discoveries(workspace, ["d1"])[0].judged
    assert store.show_stamp(workspace) == stamp


def test_a_lead_adds_up_within_its_bound(store: Store, workspace: str) -> None:
    for number, gain in enumerate((0.5, 0.75, 0.5, -4.0)):
        record(store, workspace, f"d{number}")
        assert store.earn_trust(workspace, f"d{number}", {"default": gain}, bound=1.5)
        assert store.list_trust(workspace)[0].lead == (0.5, 1.25, 1.5, -1.5)[number]
    assert store.list_trust(workspace)[0].outcomes == 4


def test_outcomes_that_come_at_once_are_all_counted(store: Store, workspace: str) -> None:
    names = [f"d{number}" for number in range(12)]
    for name in names:
        record(store, workspace, name)
    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(lambda name: store.earn_trust(workspace, name, {"default": 0.125}, bound=9.0), names * 2))
    assert sum(told) == 12
    assert store.list_trust(workspace) == (Trust(rule="default", lead=1.5, outcomes=12),)


def test_what_was_earned_is_forgotten_on_request_and_with_the_workspace(store: Store, workspace: str) -> None:
    record(store, workspace, "d1")
    store.earn_trust(workspace, "d1", {"default": 0.5, "ridge": 0.5}, bound=2.0)
    assert store.reset_trust(workspace) == 2
    assert store.reset_trust(workspace) == 0
    assert store.list_trust(workspace) == ()
    record(store, workspace, "d2")
    store.earn_trust(workspace, "d2", {"default": 0.5}, bound=2.0)
    store.delete_workspace(workspace)
    store.create_workspace(workspace, incarnation="second", at=AT)
    assert store.list_trust(workspace) == ()


def test_a_copy_of_what_was_earned_is_the_same(store: Store, workspace: str) -> None:
    record(store, workspace, "d1")
    store.earn_trust(workspace, "d1", {"default": 0.5, "ridge": 0.5}, bound=2.0)
    stamp = store.show_stamp(workspace)
    given = (Trust(rule="default", lead=0.1 + 0.2, outcomes=7), Trust(rule='客"@k=1', lead=-2.0, outcomes=0))
    store.load_trust(workspace, given)
    store.load_trust(workspace, [])
    assert store.list_trust(workspace) == (given[0], Trust(rule="ridge", lead=0.5, outcomes=1), given[1])
    assert store.show_stamp(workspace) == stamp
    record(store, workspace, "d2")
    assert store.earn_trust(workspace, "d2", {"default": 0.5}, bound=2.0)
    assert store.list_trust(workspace)[0] == Trust(rule="default", lead=0.1 + 0.2 + 0.5, outcomes=8)


def test_no_workspace_no_trust(store: Store) -> None:
    for ask in (
        lambda: store.list_trust("t-nix"),
        lambda: store.load_trust("t-nix", []),
        lambda: store.reset_trust("t-nix"),
        lambda: store.show_discoveries("t-nix", ["d"]),
        lambda: store.earn_trust("t-nix", "d", {"default": 1.0}, bound=2.0),
    ):
        with pytest.raises(UnknownWorkspace):
            ask()
