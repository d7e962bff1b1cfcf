"""The JSON of what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from api.forms.values import fill
from graph.memories import MemoryState

if TYPE_CHECKING:
    from services.learning import LearnReport, Learnt


class LearnReply(TypedDict):
    """The memory, the objects that the statement used, and the names that the catalogue does not know."""

    memory: str | None
    objects: list[str]
    unresolved: list[str]
    state: MemoryState | None


class LineReply(TypedDict):
    """The same of one line of a log, or the error that kept it from being learned."""

    line: int
    memory: str | None
    objects: list[str]
    unresolved: list[str]
    state: MemoryState | None
    error: str | None


class LinesReply(TypedDict):
    """The lines of a log, and how many were learned and rejected."""

    lines: list[LineReply]
    learned: int
    rejected: int


def learnt_json(learnt: Learnt) -> LearnReply:
    return fill(LearnReply, learnt)


def learn_report_json(report: LearnReport) -> LinesReply:
    return fill(LinesReply, report, lines=[fill(LineReply, line) for line in report.lines])
