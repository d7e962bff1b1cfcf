"""The service of workspaces: names, idempotent creation, new incarnations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from graph.embedded import open_store
from graph.errors import InvalidInput, UnknownWorkspace
from services.workspaces import WorkspaceService

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def workspaces() -> Iterator[WorkspaceService]:
    store = open_store("memory://")
    yield WorkspaceService(store, lambda: NOON)
    store.close()


def test_creating_twice_makes_one(workspaces: WorkspaceService) -> None:
    made, created = workspaces.create("sales_2024-eu")
    assert (made.name, made.created_at, created) == ("sales_2024-eu", NOON, True)
    assert workspaces.create("sales_2024-eu") == (made, False)
    assert workspaces.ensure("sales_2024-eu") == made
    assert workspaces.ensure("other").name == "other"
    assert [item.name for item in workspaces.list()] == ["other", "sales_2024-eu"]


@pytest.mark.parametrize("name", ["", "A", "-a", "_a", "a b", "a/b", "a\n", "é", "a" * 64, "a.b", "a\x00"])
def test_names_that_are_none_are_refused(workspaces: WorkspaceService, name: str) -> None:
    with pytest.raises(InvalidInput):
        workspaces.create(name)


def test_a_workspace_that_is_made_again_is_another(workspaces: WorkspaceService) -> None:
    before = workspaces.ensure("w")
    assert workspaces.reset("w") == before
    after = workspaces.show("w")
    assert after.stamp.incarnation != before.stamp.incarnation
    assert workspaces.delete("w") == after
    with pytest.raises(UnknownWorkspace):
        workspaces.show("w")
    with pytest.raises(UnknownWorkspace):
        workspaces.delete("w")
