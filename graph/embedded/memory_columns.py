"""What weighing memories needs of each, in columns: its intent's row, confidence, age, support by the registry.

The words, objects and outcomes of a memory stay with the memory; here are numbers only.
"""

from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from graph.embedded.arrays import Column, RowArray, Rows, first_rows
from graph.evidence import Expectation
from graph.memories import IDLE_HALF_LIFE_DAYS, Memory, confidence_of, day_number, day_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptExpectation:
    """An expectation, the catalogue's version and the form of the registry's score that it was made for."""

    expectation: Expectation
    catalogue_version: int
    form: str


class MemoryColumns:
    """Columns over memories; the row of a forgotten one is not active until it is used again."""

    def __init__(self) -> None:
        self.rows = Rows()
        self._active = Column(np.bool_)
        self._confirmed = Column(np.bool_)
        self._confidence = Column(np.float64)
        self._used = Column(np.int32)
        self._intent = Column(np.intp)
        self._made = Column(np.float64)
        self._latest: list[str] = []  # as it was asked for last; empty after a change

    def put(self, memory: Memory, *, intent_row: int) -> None:
        row = self.rows.take(memory.id)
        self._latest = []
        active = memory.state != "refuted" and not memory.suspended
        self._active.put(row, active)
        self._confirmed.put(row, active and memory.state == "confirmed")
        self._confidence.put(row, confidence_of(memory))
        self._used.put(row, day_number(day_of(memory.last_used_at)))
        self._intent.put(row, intent_row)
        self._made.put(row, memory.created_at.timestamp())

    def drop(self, memory_id: str) -> None:
        row = self.rows.leave(memory_id)
        self._latest = []
        if row is not None:
            for column in (self._active, self._confirmed, self._intent):
                column.clear(row)

    def active(self) -> NDArray[np.bool_]:
        """By row, whether the memory may be evidence: neither refuted nor suspended."""
        return self._active.view(self.rows)

    def confirmed(self) -> NDArray[np.bool_]:
        return self._confirmed.view(self.rows)

    def confidences(self, rows: RowArray, *, today: date | None) -> NDArray[np.float64]:
        """Of these rows."""
        own: NDArray[np.float64] = self._confidence.view(self.rows)[rows]
        if today is None:
            return own
        idle = np.maximum(0, day_number(today) - self._used.view(self.rows)[rows])
        aged: NDArray[np.float64] = own * 2.0 ** (-idle / IDLE_HALF_LIFE_DAYS)
        return aged

    def intent_rows(self) -> NDArray[np.intp]:
        return self._intent.view(self.rows)

    def latest(self, limit: int) -> list[str]:
        """The ids of the active memories made last, the last first, ties by id."""
        if len(self._latest) != limit:
            active, made = np.flatnonzero(self.active()), self._made.view(self.rows)
            rows = first_rows(active, by=[made], ids=self.rows.ids, limit=limit)
            self._latest = [self.rows.ids[row] for row in rows]
        return self._latest
