"""Real domains learnt on the embedded store, moved to each back end: equal bytes, equal answers.

All domains at once, with figures: see `round_trip`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.embedded import open_store
from graph.store import Store
from kit.exports import exported
from kit.replays.round_trip import Hashing, agree, answers, learn_domain, move, spread, statements

DOMAINS = ("bird/financial", "spider/course_teach", "paper_schemas/northwind")
STATEMENTS = 25


@pytest.fixture(scope="session")
def learnt(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a workspace for each of the domains."""
    first = open_store(f"sqlite:///{tmp_path_factory.mktemp('round_trip') / 'first.db'}")
    for domain in DOMAINS:
        catalogue = shared / "data" / "discovery" / f"{domain}.json"
        lines = statements(shared, catalogue.stem)[:STATEMENTS]
        learn_domain(first, Hashing(), f"t-round-trip-{catalogue.stem}", catalogue, lines=lines)
    yield first
    first.close()


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_moves_whole(learnt: Store, store: Store, shared: Path, tmp_path: Path, domain: str) -> None:
    catalogue = shared / "data" / "discovery" / f"{domain}.json"
    workspace = f"t-round-trip-{catalogue.stem}"
    data, *_ = move(learnt, store, [workspace], beside=tmp_path / "out.jsonl")
    try:
        assert data.count(b"\n") > 50
        assert exported(store, workspace) == data
        tasks = json.loads(catalogue.read_text(encoding="utf-8"))["tasks"]
        asked = spread([(workspace, task["intent"]) for task in tasks], count=10)
        for one, other in zip(*(answers(each, Hashing(), asked) for each in (learnt, store)), strict=True):
            assert one.results
            assert agree(one, other)
    finally:
        store.delete_workspace(workspace)
