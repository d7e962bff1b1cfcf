"""The candidates of one answer: the objects it scores as rows of arrays, their tables, and the keys among these.

Rows are sorted by id, so that no result depends on the order in which candidates came in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from graph.evidence import Scores
from services.catalogue_index import CatalogueIndex, JoinKey

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Row i is object `ids[i]`; `table[i]` is the row of its table, i itself where that is no candidate.

    `keys` (k x 4) are the rows of a column, its table, the column it is joined with, and that one's table.
    """

    ids: tuple[str, ...]
    row_of: dict[str, int]
    table: Rows
    keys: Rows

    def column(self, scores: Scores) -> Floats:
        """The scores as an array (n): 0 for candidates that are not named; other objects are left out."""
        out = np.zeros(len(self.ids) + 1)
        out[self._rows(scores.ids)] = scores.values
        return out[:-1]

    def marked(self, sets: Sequence[Sequence[str]]) -> Floats:
        """k x n: 1 for the objects of each set, 0 for the others."""
        out = np.zeros((len(sets), len(self.ids) + 1))
        which = np.repeat(np.arange(len(sets)), [len(items) for items in sets])
        out[which, self._rows(chain.from_iterable(sets))] = 1.0
        return out[:, :-1]

    def _rows(self, items: Iterable[str]) -> list[int]:
        """The rows of these; for objects that are no candidates the row behind the last, which callers cut off."""
        return list(map(self.row_of.get, items, repeat(len(self.ids))))


def collect_candidates(catalogue: CatalogueIndex, ids: Iterable[str]) -> Candidates:
    """The live objects of these, with their tables and with the columns of all keys between these tables."""
    objects, keys_of = catalogue.objects, catalogue.keys
    items = set(ids) & objects.keys()
    tables = {objects[item].table or item for item in items} & objects.keys()
    # each key is listed under both of its tables, and taken from the first
    near = (key for table in tables & keys_of.keys() for key in keys_of[table] if key.table == table)
    keys = sorted(key for key in near if key.other_table in tables)
    items |= tables
    items.update(column for key in keys for column in (key.column, key.other_column))
    return _lay_out(catalogue, items, keys)


def collect_plain(catalogue: CatalogueIndex, ids: Iterable[str]) -> Candidates:
    """The live objects of these and nothing else."""
    return _lay_out(catalogue, set(ids) & catalogue.objects.keys(), [])


def _lay_out(catalogue: CatalogueIndex, items: set[str], keys: list[JoinKey]) -> Candidates:
    ids, objects = tuple(sorted(items)), catalogue.objects
    row_of = dict(zip(ids, range(len(ids)), strict=True))
    return Candidates(
        ids=ids,
        row_of=row_of,
        table=np.array([row_of.get(objects[item].table or item, row) for item, row in row_of.items()], dtype=np.intp),
        keys=np.array([[row_of[part] for part in key] for key in keys], dtype=np.intp).reshape(len(keys), 4),
    )
