"""Keys kept in order, and keys by the version in which they were written last.

Both take single changes and bulk loads; both sort when they are read.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Any)

FEW = 64  # up to so many keys are cheaper put in one by one than by sorting all


class SortedKeys(Generic[K]):
    """A sorted set."""

    __slots__ = ("_added", "_sorted")

    def __init__(self) -> None:
        self._sorted: list[K] = []
        self._added: set[K] = set()

    def __len__(self) -> int:
        return len(self._sorted) + len(self._added)

    def add(self, key: K) -> None:
        """Puts in a key that is not there."""
        self._added.add(key)

    def discard(self, keys: Iterable[K]) -> None:
        unwanted = set(keys)
        known = self.all()
        if len(unwanted) > FEW:
            self._sorted = [key for key in known if key not in unwanted]
            return
        for key in unwanted:
            place = bisect_left(known, key)
            if place < len(known) and known[place] == key:
                del known[place]

    def all(self) -> list[K]:
        """The keys in order: to be read, not changed."""
        if len(self._added) > FEW:
            self._sorted.extend(self._added)
            self._sorted.sort()
        else:
            for key in self._added:
                insort(self._sorted, key)
        self._added.clear()
        return self._sorted

    def after(self, key: K | None) -> Iterator[K]:
        known = self.all()
        start = 0 if key is None else bisect_right(known, key)
        return (known[place] for place in range(start, len(known)))


class VersionLog:
    """The latest version of each key, and the keys written after a version without a look at all the others."""

    __slots__ = ("_keys", "_pending", "_versions", "version_of")

    def __init__(self) -> None:
        self.version_of: dict[str, int] = {}
        self._versions: list[int] = []
        self._keys: list[str] = []
        self._pending: list[tuple[int, str]] = []

    def write(self, key: str, version: int) -> None:
        self.version_of[key] = version
        self._pending.append((version, key))
        if len(self._pending) > 2 * len(self.version_of) + FEW:  # the same keys again and again, and no read
            self._settle()

    def drop(self, key: str) -> None:
        self.version_of.pop(key, None)

    def since(self, version: int) -> list[str]:
        """The keys whose latest version is above `version`, sorted."""
        self._settle()
        start = bisect_right(self._versions, version)
        return sorted({key for key in self._keys[start:] if self.version_of.get(key, 0) > version})

    def _settle(self) -> None:
        # what came since the last look is not in order itself: changes of another process come by kind
        self._pending.sort()
        mixed = bool(self._pending and self._versions) and self._pending[0][0] < self._versions[-1]
        self._versions += [version for version, _ in self._pending]
        self._keys += [key for _, key in self._pending]
        self._pending.clear()
        if mixed or len(self._keys) > 2 * len(self.version_of) + FEW:
            latest = sorted((version, key) for key, version in self.version_of.items())
            self._versions = [version for version, _ in latest]
            self._keys = [key for _, key in latest]
