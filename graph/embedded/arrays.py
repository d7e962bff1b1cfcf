"""Arrays that follow the graph row by row: numbers for ids, columns that grow, and the best rows of many.

Nothing here knows what a row stands for. A single change costs a single row; growth is amortised by doubling.
"""

import heapq
from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
RowArray = NDArray[np.intp]

SLACK = 2e-6  # two float32 scores whose 6th decimals round alike are never further apart


class Rows:
    """A row number for each id; the numbers of ids that left are used again."""

    __slots__ = ("_free", "ids", "row_of")

    def __init__(self) -> None:
        self.row_of: dict[str, int] = {}
        self.ids: list[str] = []  # by row; of a free row, the id that had it last
        self._free: list[int] = []

    def __len__(self) -> int:
        """How many rows an array over them needs."""
        return len(self.ids)

    def take(self, key: str) -> int:
        row = self.row_of.get(key)
        if row is not None:
            return row
        if self._free:
            row = self._free.pop()
            self.ids[row] = key
        else:
            row = len(self.ids)
            self.ids.append(key)
        self.row_of[key] = row
        return row

    def leave(self, key: str) -> int | None:
        row = self.row_of.pop(key, None)
        if row is not None:
            self._free.append(row)
        return row

    def find(self, keys: Sequence[str]) -> RowArray:
        """The rows of these ids, -1 for those that are not there."""
        return np.fromiter(map(self.row_of.get, keys, repeat(-1)), dtype=np.intp, count=len(keys))


class Column:
    """Values by row, each `fill` until it is put; `width` makes it a matrix."""

    __slots__ = ("_fill", "_values")

    def __init__(self, dtype: DTypeLike, *, width: int | None = None, fill: float = 0) -> None:
        self._fill = fill
        self._values: Array = np.full((0,) if width is None else (0, width), fill, dtype=dtype)

    @property
    def width(self) -> int:
        return int(self._values.shape[1])

    def put(self, row: int, value: Any) -> None:
        if row >= len(self._values):
            self._grow(row + 1)
        self._values[row] = value

    def clear(self, row: int) -> None:
        if row < len(self._values):
            self._values[row] = self._fill

    def view(self, rows: Rows) -> Array:
        """A view, not a copy, over all rows."""
        if len(self._values) < len(rows):
            self._grow(len(rows))
        return self._values[: len(rows)]

    def _grow(self, needed: int) -> None:
        size = (max(needed, 64, 2 * len(self._values)), *self._values.shape[1:])
        # zeros come from untouched pages: spare room costs address space, not memory
        values = np.zeros(size, self._values.dtype)
        if self._fill:
            values.fill(self._fill)
        values[: len(self._values)] = self._values
        self._values = values


def first_rows(rows: RowArray, *, by: Sequence[Array], ids: Sequence[str], limit: int) -> list[int]:
    """The first `limit` of `rows` by falling value of each array in turn, then by id; in this order."""
    chosen: list[int] = []
    rest, room = rows, max(limit, 0)
    for values in by:
        if len(rest) <= room or not room:
            break
        own = values[rest]
        cut = np.partition(own, len(own) - room)[len(own) - room]
        above = rest[own > cut]
        chosen += above.tolist()
        rest, room = rest[own == cut], room - len(above)
    chosen += rest.tolist() if len(rest) <= room else heapq.nsmallest(room, rest.tolist(), key=ids.__getitem__)
    keys = zip(*((-values[chosen]).tolist() for values in by), map(ids.__getitem__, chosen), chosen, strict=True)
    return [key[-1] for key in sorted(keys)]


def rounded(cosines: Array) -> NDArray[np.float64]:
    """Cosines as every store gives them: 6 decimals, never -0."""
    exact = cosines.astype(np.float64)
    return np.add(np.round(exact, 6, out=exact), 0.0, out=exact)


def nearest_rows(cosines: Array, *, ids: Sequence[str], limit: int) -> list[tuple[int, float]]:
    """The `limit` rows of greatest rounded cosine, ties by id; rows of -inf are not there."""
    if limit <= 0:
        return []
    if len(cosines) > limit:
        cut = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
        rows = np.flatnonzero((cosines >= cut - SLACK) & (cosines > -np.inf))
    else:
        rows = np.flatnonzero(cosines > -np.inf)
    exact = np.full(len(rows), 0.0) if not len(rows) else rounded(cosines[rows])
    names = [ids[row] for row in rows.tolist()]
    best = first_rows(np.arange(len(rows)), by=[exact], ids=names, limit=limit)
    return [(int(rows[i]), float(exact[i])) for i in best]
