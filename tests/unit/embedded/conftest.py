"""Stores on a file of the test's own, all closed at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graph.embedded import EmbeddedStore, open_store
from kit.values.samples import AT

Opening = Callable[[], EmbeddedStore]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "graph.db"


@pytest.fixture
def opening(file: Path) -> Iterator[Opening]:
    """Opens the file, each time as another process would."""
    opened: list[EmbeddedStore] = []

    def open_again() -> EmbeddedStore:
        opened.append(open_store(f"sqlite:///{file}"))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(opening: Opening) -> EmbeddedStore:
    """A store on the file with the workspace "w"."""
    made = opening()
    made.create_workspace("w", incarnation="first", at=AT)
    return made
