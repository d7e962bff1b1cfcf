"""Chunks by falling score, ties by order of ingestion, without sorting more of them than are asked for.

It knows scores only; what fits a budget belongs to `selection`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from services.retention.chunks import BoolArray, IntArray, RealArray

_SAMPLE = 2_048


def ranked(scores: RealArray, candidates: IntArray) -> IntArray:
    """All candidates (ascending) by falling score; a stable sort, so equal scores keep the order of ingestion."""
    return candidates[np.argsort(-scores[candidates], kind="stable")]


class Ranking:
    """Hands out candidates best first, in blocks; what `close` rules out is not handed out any more."""

    def __init__(self, scores: RealArray, *, block: int = 256) -> None:
        self._scores = scores
        self._open: IntArray | None = None  # None: all of them
        self._taken: BoolArray | None = None  # of the open ones, those handed out; most askers ask for one block only
        self._block = block

    def blocks(self) -> Iterator[IntArray]:
        while True:
            self._leave_out()
            size = len(self._scores) if self._open is None else len(self._open)
            if not size:
                return
            yield self._next(size)
            self._block *= 2

    def close(self, allowed: BoolArray) -> None:
        """Keep only the candidates for which `allowed` (one flag a chunk) holds."""
        self._leave_out()
        self._open = np.flatnonzero(allowed) if self._open is None else self._open[allowed[self._open]]

    def _next(self, size: int) -> IntArray:
        values = self._scores if self._open is None else self._scores[self._open]
        if size <= 4 * self._block:
            best, self._open = self._all(), np.empty(0, dtype=np.int64)
            return ranked(self._scores, best)
        # The score that about `block` candidates reach is guessed from a sample; any guess gives an exact order.
        sample = np.sort(values[:: max(size // _SAMPLE, 1)])
        place = max(len(sample) - 1 - round(self._block * len(sample) / size), 0)
        taken = values >= sample[place]
        best = np.flatnonzero(taken) if self._open is None else self._open[taken]
        self._taken = taken
        return ranked(self._scores, best)

    def _leave_out(self) -> None:
        """What was handed out is open no longer."""
        if self._taken is not None:
            self._open = np.flatnonzero(~self._taken) if self._open is None else self._open[~self._taken]
            self._taken = None

    def _all(self) -> IntArray:
        return np.arange(len(self._scores)) if self._open is None else self._open
