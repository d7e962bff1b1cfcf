"""Several processes on one file: no write lost, no lock in the way, and a kill -9 at any moment harms nobody."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graph.embedded import EmbeddedStore
from kit.values.samples import memory, table

pytestmark = pytest.mark.tier("test")

SCRIPT = Path(__file__).with_name("writing_process.py")
Process = subprocess.Popen[str]


class Processes:
    """Writers on the store's file."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.started: list[Process] = []

    def start(self, name: str, *, threads: int, each: int) -> Process:
        command = [sys.executable, str(SCRIPT), self._url, name, str(threads), str(each)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.started.append(process)
        return process


@pytest.fixture
def shared(store: EmbeddedStore) -> EmbeddedStore:
    """The store, with what the writers need."""
    store.save_objects("w", [table("t")])
    store.save_memories("w", [memory("counts", ["t"], id="shared", times=0)])
    return store


@pytest.fixture
def processes(shared: EmbeddedStore) -> Iterator[Processes]:
    made = Processes(shared.url)
    yield made
    for process in made.started:
        process.kill()
        process.communicate()


def names(store: EmbeddedStore) -> dict[str, int]:
    """How many of its three memories each written name has."""
    found: dict[str, int] = {}
    for each in store.list_memories("w", limit=1_000_000):
        if each.id != "shared":
            name, _ = each.id.split("/")
            found[name] = found.get(name, 0) + 1
    return found


def test_two_processes_of_sixteen_writers_lose_nothing(shared: EmbeddedStore, processes: Processes) -> None:
    running = [processes.start(name, threads=16, each=12) for name in ("one", "two")]
    said = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0], said
    found = names(shared)
    assert set(found) == {f"{p}-{worker}-{turn}" for p in ("one", "two") for worker in range(16) for turn in range(12)}
    assert set(found.values()) == {3}
    (counter,) = shared.show_memories("w", ["shared"])
    assert counter.times == 2 * 16 * 12
    assert shared.show_workspace("w").memories == 3 * 2 * 16 * 12 + 1


def test_a_killed_writer_loses_nothing_and_stops_nobody(shared: EmbeddedStore, processes: Processes) -> None:
    survivor = processes.start("survivor", threads=2, each=150)
    acknowledged: set[str] = set()
    for turn in range(5):
        victim = processes.start(f"victim{turn}", threads=4, each=1_000_000)
        assert victim.stdout is not None
        acknowledged.update(victim.stdout.readline().strip() for _ in range(5 + 3 * turn))
        victim.kill()
        acknowledged.update(victim.stdout.read().split("\n")[:-1])  # what follows the last break was half said
    said = survivor.communicate(timeout=120)
    assert survivor.returncode == 0, said
    acknowledged.update(said[0].split())
    found = names(shared)
    assert acknowledged <= set(found)
    assert set(found.values()) == {3}
    assert len(acknowledged) >= 300 + 5 * 5


def test_what_was_killed_is_there_for_the_next_to_open(
    shared: EmbeddedStore, processes: Processes, opening: Callable[[], EmbeddedStore]
) -> None:
    shared.close()
    victim = processes.start("victim", threads=4, each=1_000_000)
    assert victim.stdout is not None
    acknowledged = {victim.stdout.readline().strip() for _ in range(20)}
    victim.kill()
    victim.communicate()
    found = names(opening())
    assert acknowledged <= set(found)
    assert set(found.values()) == {3}
