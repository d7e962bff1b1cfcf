"""Two stores, and services over each, to which every step is done: both must answer the same, right or wrong.

Versions are each store's own; that they move, or do not, must be the same. What the steps are is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from graph.errors import RetinueError, UnknownWorkspace
from graph.store import Store
from graph.workspaces import Stamp
from kit.oracles.snapshots import canonical
from kit.replays.round_trip import Hashing
from kit.values.samples import AT
from services.catalogue_index import CatalogueIndexes
from services.discovery.service import DiscoveryService
from services.encoders import Encoder

Stamps = tuple[Stamp, Stamp]


class Counted:
    """A store that counts which of its operations are asked for."""

    def __init__(self, store: Store, counts: Counter[str]) -> None:
        self._store, self._counts = store, counts

    def __getattr__(self, name: str) -> Any:
        self._counts[name] += 1
        return getattr(self._store, name)


class Side:
    """One of the two: a store that can be opened anew, and the services that keep something of it in mind."""

    def __init__(self, opener: Callable[[], Store], counts: Counter[str]) -> None:
        self._opener, self._counts = opener, counts
        self.open()

    def open(self) -> None:
        self.store: Store = Counted(self._opener(), self._counts)
        self.forget()

    def forget(self) -> None:
        """Whatever the services had derived is made anew, as in another process."""
        registries = CatalogueIndexes(self.store)
        encoders: dict[bool, Encoder | None] = {False: None, True: Hashing()}
        self.services = {
            encoded: DiscoveryService(self.store, registries, encoder, clock=lambda: AT)
            for encoded, encoder in encoders.items()
        }


class Twins:
    """A store to which the truth is known, and one that must tell the same."""

    def __init__(self, reference: Callable[[], Store], other: Callable[[], Store]) -> None:
        self.counts: Counter[str] = Counter()
        self.sides = (Side(reference, Counter()), Side(other, self.counts))
        self.differed = False
        self._last: dict[str, Stamps | None] = {}

    @property
    def reference(self) -> Store:
        return self.sides[0].store

    def close(self) -> None:
        for side in self.sides:
            side.store.close()

    def restart(self) -> None:
        """The other side alone: a memory:// store is gone when it is closed."""
        side = self.sides[1]
        side.store.close()
        side.open()
        self.sides[0].forget()

    def ask(self, step: Callable[[Side], object]) -> Any:
        """What both answer, or the error that both raise."""
        one, other = (_told(side, step) for side in self.sides)
        self.hold(one, other, same=one == other)
        return one

    def hold(self, one: object, other: object, *, same: bool) -> None:
        """Fails where what both told is not the same; says what that was, and remembers that it was so."""
        if not same:
            self.differed = True
            raise AssertionError(f"the one: {one!r}\nthe other: {other!r}")

    def do(self, workspace: str, step: Callable[[Store], object]) -> Any:
        """The same for what may write: whatever moved on one side since the last look moved on the other."""
        before = self.stamps(workspace)
        answer = self.ask(lambda side: step(side.store))
        self._last[workspace] = after = self._stamps(workspace)
        moves = [_moves(before and before[n], after and after[n]) for n in (0, 1)]
        self.hold(moves[0], moves[1], same=moves[0] == moves[1])
        return answer

    def stamps(self, workspace: str) -> Stamps | None:
        """As it was last seen; None where it is not there."""
        return self._last.get(workspace)

    def _stamps(self, workspace: str) -> Stamps | None:
        found = []
        for side in self.sides:
            with suppress(UnknownWorkspace):
                found.append(side.store.show_stamp(workspace))
        self.hold(len(found), "both or none", same=len(found) != 1)
        return (found[0], found[1]) if found else None


def _told(side: Side, step: Callable[[Side], object]) -> Any:
    try:
        return canonical(step(side))
    except RetinueError as error:
        return type(error).__name__, getattr(error, "ids", ())


def _moves(before: Stamp | None, after: Stamp | None) -> Any:
    if before is None or after is None:
        return before is None, after is None
    moved = (before.incarnation != after.incarnation, before.catalogue_version != after.catalogue_version)
    return (*moved, before.version != after.version)
