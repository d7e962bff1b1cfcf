"""What chunks rest on, as edges (a chunk, its premise) in rows sorted by the chunk, with a grade and a weight.

Edges are checked and cleaned here once: self-loops and duplicates do no harm, an edge to nowhere is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from graph.errors import InvalidInput
from services.retention.chunks import IntArray, RealArray

Grade = Literal["declared", "observed", "inferred"]
GRADES: tuple[Grade, ...] = get_args(Grade)
GradeArray = NDArray[np.int8]
"""Indices into GRADES: the smaller, the more trusted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Premises:
    """Edges among `count` chunks, sorted by dependent, then premise; each pair once.

    `starts` has count + 1 entries: the premises of chunk i are `targets[starts[i]:starts[i + 1]]`, and
    `sources` names the dependent of each edge.
    """

    count: int
    starts: IntArray
    sources: IntArray
    targets: IntArray
    weights: RealArray
    grades: GradeArray

    def __len__(self) -> int:
        return len(self.targets)

    def of(self, chunk: int) -> list[int]:
        premises: list[int] = self.targets[self.starts[chunk] : self.starts[chunk + 1]].tolist()
        return premises


def _whole(edges: Sequence[tuple[int, int]] | IntArray) -> IntArray:
    pairs = np.asarray(edges, dtype=np.int64)
    return pairs.reshape(-1, 2) if pairs.size else np.empty((0, 2), dtype=np.int64)


def make_premises(
    count: int,
    edges: Sequence[tuple[int, int]] | IntArray = (),
    *,
    weights: Sequence[float] | RealArray | None = None,
    grades: Sequence[Grade] | GradeArray | None = None,
) -> Premises:
    """Premises out of pairs (i, j): i needs j. Of duplicates the most trusted grade and the largest weight stay."""
    pairs = _whole(edges)
    size = len(pairs)
    weight = np.ones(size) if weights is None else np.asarray(weights, dtype=np.float64)
    if grades is None:
        grade = np.zeros(size, dtype=np.int8)
    elif isinstance(grades, np.ndarray):
        grade = grades.astype(np.int8)
    else:
        grade = np.array([GRADES.index(g) for g in grades], dtype=np.int8)
    if size and (int(pairs.min()) < 0 or int(pairs.max()) >= count):
        row = int(np.flatnonzero(((pairs < 0) | (pairs >= count)).any(axis=1))[0])
        raise InvalidInput(
            f"premise {tuple(pairs[row].tolist())}",
            found=f"only chunks 0 to {count - 1}" if count else "no chunks",
            hint="Add both chunks before the premise between them",
        )
    if not (np.isfinite(weight).all() and (weight >= 0).all() and (weight <= 1).all()):
        raise InvalidInput("weight of a premise", found="a value outside 0 and 1", hint="Give weights within 0 and 1")
    kept = pairs[:, 0] != pairs[:, 1]
    pairs, weight, grade = pairs[kept], weight[kept], grade[kept]
    keys = pairs[:, 0] * max(count, 1) + pairs[:, 1]
    order = np.argsort(keys, kind="stable")
    keys, weight, grade = keys[order], weight[order], grade[order]
    if len(keys):
        firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        keys = keys[firsts]
        weight = np.maximum.reduceat(weight, firsts)
        grade = np.minimum.reduceat(grade, firsts)
    return from_sorted(count, keys // max(count, 1), keys % max(count, 1), weights=weight, grades=grade)


def from_sorted(
    count: int, sources: IntArray, targets: IntArray, *, weights: RealArray, grades: GradeArray
) -> Premises:
    """Premises out of edges that are already clean and sorted by (source, target)."""
    starts = np.searchsorted(sources, np.arange(count + 1))
    return Premises(count=count, starts=starts, sources=sources, targets=targets, weights=weights, grades=grades)
