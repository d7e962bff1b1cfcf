"""A session's chunks and premises as arrays, checked when made, and lookups in sorted arrays.

Scoring and selection are in the other modules of retention.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph.errors import InvalidInput
from graph.premises import PREMISE_GRADES, PremiseGrade

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
RealArray = NDArray[np.float64]

TokenCounter = Callable[[str], int]


def count_tokens(text: str) -> int:
    """Return the number of blank-separated words, at least 1: the default cost of a chunk."""
    return max(len(text.split()), 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChunkArrays:
    """n chunks: texts, costs in tokens (at least 1), pins, importance within 0 and 1, and age (0: the newest).

    A pinned chunk is taken before any other. Ages count chunks added since, or whatever unit the caller gives.
    `is_call` flags calls of tools, `calls` has the place of the call that a chunk is the result of, -1 for none.
    """

    texts: tuple[str, ...]
    tokens: IntArray
    pinned: BoolArray
    importance: RealArray
    ages: RealArray
    is_call: BoolArray
    calls: IntArray

    def __len__(self) -> int:
        return len(self.texts)


def make_chunks(
    texts: Sequence[str],
    *,
    tokens: Sequence[int] | IntArray | None = None,
    pinned: Sequence[bool] | BoolArray | None = None,
    importance: Sequence[float] | RealArray | None = None,
    ages: Sequence[float] | RealArray | None = None,
    is_call: Sequence[bool] | BoolArray | None = None,
    calls: Sequence[int] | IntArray | None = None,
    counter: TokenCounter = count_tokens,
) -> ChunkArrays:
    """Make chunk arrays from texts in order of ingestion; count tokens and number ages where not given."""
    count = len(texts)
    costs = [counter(text) for text in texts] if tokens is None else tokens
    chunks = ChunkArrays(
        texts=tuple(texts),
        tokens=np.asarray(costs, dtype=np.int64).reshape(-1),
        pinned=np.zeros(count, dtype=np.bool_) if pinned is None else np.asarray(pinned, dtype=np.bool_),
        importance=np.zeros(count) if importance is None else np.asarray(importance, dtype=np.float64),
        ages=np.arange(count, dtype=np.float64)[::-1] if ages is None else np.asarray(ages, dtype=np.float64),
        is_call=np.zeros(count, dtype=np.bool_) if is_call is None else np.asarray(is_call, dtype=np.bool_),
        calls=np.full(count, -1) if calls is None else np.asarray(calls, dtype=np.int64),
    )
    for name in ("tokens", "pinned", "importance", "ages", "is_call", "calls"):
        length = len(getattr(chunks, name))
        if length != count:
            raise InvalidInput(f"{name} of {count} chunks", found=f"{length} values", hint="Give one value a chunk")
    if count and int(chunks.tokens.min()) < 1:
        raise InvalidInput("tokens of a chunk", found=str(chunks.tokens.min()), hint="A chunk costs at least one token")
    return chunks


def check_budget(budget_tokens: object) -> int:
    """Return the budget as a whole number of tokens. Raises `InvalidInput` below 0 and for what is not a number."""
    if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int | float | np.integer | np.floating):
        raise InvalidInput("budget in tokens", found=repr(budget_tokens), hint="Give a number of tokens, 0 or more")
    if not budget_tokens >= 0:  # also true of a NaN
        raise InvalidInput("budget in tokens", found=str(budget_tokens), hint="Give a number of tokens, 0 or more")
    return int(min(budget_tokens, np.iinfo(np.int64).max // 2))


GradeArray = NDArray[np.int8]
"""Indices into PREMISE_GRADES: the smaller, the more trusted."""
OBSERVED = PREMISE_GRADES.index("observed")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PremiseArrays:
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


def make_premises(
    count: int,
    edges: Sequence[tuple[int, int]] | IntArray = (),
    *,
    weights: Sequence[float] | RealArray | None = None,
    grades: Sequence[PremiseGrade] | GradeArray | None = None,
) -> PremiseArrays:
    """Make premise arrays from pairs (i, j): i needs j. Duplicates keep the most trusted grade, largest weight."""
    pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    size = len(pairs)
    weight = np.ones(size) if weights is None else np.asarray(weights, dtype=np.float64)
    if grades is None:
        grade = np.zeros(size, dtype=np.int8)
    elif isinstance(grades, np.ndarray):
        grade = grades.astype(np.int8)
    else:
        grade = np.array([PREMISE_GRADES.index(g) for g in grades], dtype=np.int8)
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
        firsts = run_starts(keys)
        keys = keys[firsts]
        weight = np.maximum.reduceat(weight, firsts)
        grade = np.minimum.reduceat(grade, firsts)
    return from_sorted(count, keys // max(count, 1), keys % max(count, 1), weights=weight, grades=grade)


def from_sorted(
    count: int, sources: IntArray, targets: IntArray, *, weights: RealArray, grades: GradeArray
) -> PremiseArrays:
    """Make premise arrays from distinct edges without self-loops, sorted by (source, target)."""
    starts = np.searchsorted(sources, np.arange(count + 1))
    return PremiseArrays(count=count, starts=starts, sources=sources, targets=targets, weights=weights, grades=grades)


def run_starts(keys: IntArray) -> IntArray:
    """Return where each run of equal values begins in a sorted, non-empty array."""
    return np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))


def expand(starts: IntArray, rows: IntArray) -> IntArray:
    """Return the entries of `rows`, one row after the other; row i has the entries starts[i] to starts[i + 1]."""
    sizes = starts[rows + 1] - starts[rows]
    total = int(sizes.sum())
    shifts = np.repeat(starts[rows] - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes)
    return np.arange(total) + shifts if total else np.empty(0, dtype=np.int64)


def find(keys: IntArray, wanted: IntArray) -> IntArray:
    """Return the place of each wanted key in the sorted keys, -1 where there is none."""
    if not len(keys):
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)
