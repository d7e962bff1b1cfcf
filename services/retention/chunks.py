"""The chunks of one session as parallel arrays, in order of ingestion; an index into them is a chunk's only name.

Ids stay outside, so that no policy can look at them. What a chunk rests on belongs to `premises`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph.errors import InvalidInput

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
RealArray = NDArray[np.float64]

TokenCounter = Callable[[str], int]


def count_tokens(text: str) -> int:
    """The default cost of a chunk: its blank-separated words, at least 1."""
    return max(len(text.split()), 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chunks:
    """n chunks: texts, costs in tokens (at least 1), pins, importance within 0 and 1, and age (0: the newest).

    A pinned chunk is taken before any other. Ages count chunks added since, or whatever unit the caller gives.
    """

    texts: tuple[str, ...]
    tokens: IntArray
    pinned: BoolArray
    importance: RealArray
    ages: RealArray

    def __len__(self) -> int:
        return len(self.texts)


def make_chunks(
    texts: Sequence[str],
    *,
    tokens: Sequence[int] | IntArray | None = None,
    pinned: Sequence[bool] | BoolArray | None = None,
    importance: Sequence[float] | RealArray | None = None,
    ages: Sequence[float] | RealArray | None = None,
    counter: TokenCounter = count_tokens,
) -> Chunks:
    """Chunks out of texts in order of ingestion; tokens are counted and ages are by place where they are not given."""
    count = len(texts)
    costs = [counter(text) for text in texts] if tokens is None else tokens
    chunks = Chunks(
        texts=tuple(texts),
        tokens=np.asarray(costs, dtype=np.int64).reshape(-1),
        pinned=np.zeros(count, dtype=np.bool_) if pinned is None else np.asarray(pinned, dtype=np.bool_),
        importance=np.zeros(count) if importance is None else np.asarray(importance, dtype=np.float64),
        ages=np.arange(count, dtype=np.float64)[::-1] if ages is None else np.asarray(ages, dtype=np.float64),
    )
    for name in ("tokens", "pinned", "importance", "ages"):
        length = len(getattr(chunks, name))
        if length != count:
            raise InvalidInput(f"{name} of {count} chunks", found=f"{length} values", hint="Give one value a chunk")
    if count and int(chunks.tokens.min()) < 1:
        raise InvalidInput("tokens of a chunk", found=str(chunks.tokens.min()), hint="A chunk costs at least one token")
    return chunks


def check_budget(budget_tokens: object) -> int:
    """The budget as a whole number of tokens; 0 keeps nothing, anything below or not a number is refused."""
    if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int | float | np.integer | np.floating):
        raise InvalidInput("budget in tokens", found=repr(budget_tokens), hint="Give a number of tokens, 0 or more")
    if not budget_tokens >= 0:  # also true of a NaN
        raise InvalidInput("budget in tokens", found=str(budget_tokens), hint="Give a number of tokens, 0 or more")
    return int(min(budget_tokens, np.iinfo(np.int64).max // 2))
