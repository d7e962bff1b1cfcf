"""The board of one answer: the objects it weighs as rows of arrays, their tables, and the keys among these.

Rows are sorted by id, so that no result depends on the order in which candidates came in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph.values import Scores
from services.registry import Key, Registry

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Board:
    """Row i is object `ids[i]`; `table[i]` is the row of its table, i itself where that is not on the board.

    `keys` (k x 4) are the rows of a column, its table, the column it is joined with, and that one's table.
    """

    ids: tuple[str, ...]
    row_of: dict[str, int]
    table: Rows
    keys: Rows

    def column(self, scores: Scores) -> Floats:
        """The scores as an array; what is not named has 0, what is not on the board is passed over."""
        out = np.zeros(len(self.ids))
        for item, value in zip(scores.ids, scores.values, strict=True):
            row = self.row_of.get(item)
            if row is not None:
                out[row] = value
        return out

    def marked(self, items: Iterable[str]) -> Floats:
        """1 for these objects, 0 for the others."""
        out = np.zeros(len(self.ids))
        out[[self.row_of[item] for item in items if item in self.row_of]] = 1.0
        return out


def lay_out(registry: Registry, candidates: Iterable[str]) -> Board:
    """The candidates that are live, with their tables and with the columns of all keys between these tables."""
    items = {item for item in candidates if item in registry.objects}
    tables = {registry.objects[item].table or item for item in items} & registry.objects.keys()
    keys = sorted(
        {key for table in tables for key in registry.keys.get(table, ()) if {key.table, key.other_table} <= tables}
    )
    items |= tables
    items.update(column for key in keys for column in (key.column, key.other_column))
    return _board(registry, items, keys)


def lay_out_plain(registry: Registry, candidates: Iterable[str]) -> Board:
    """The candidates that are live and nothing else."""
    return _board(registry, {item for item in candidates if item in registry.objects}, [])


def _board(registry: Registry, items: set[str], keys: list[Key]) -> Board:
    ids = tuple(sorted(items))
    row_of = {item: row for row, item in enumerate(ids)}
    return Board(
        ids=ids,
        row_of=row_of,
        table=np.array([row_of.get(registry.objects[i].table or i, row) for i, row in row_of.items()], dtype=np.intp),
        keys=np.array([[row_of[part] for part in key] for key in keys], dtype=np.intp).reshape(len(keys), 4),
    )
