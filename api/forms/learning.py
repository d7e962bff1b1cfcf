"""The JSON of what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.learning import LearnReport, Learnt
from api.forms.values import Json


def learnt_json(learnt: Learnt) -> Json:
    return {
        "memory": learnt.memory,
        "objects": list(learnt.objects),
        "unresolved": list(learnt.unresolved),
        "state": learnt.state,
    }


def learn_report_json(report: LearnReport) -> Json:
    return {
        "lines": [
            {
                "line": line.line,
                "memory": line.memory,
                "objects": list(line.objects),
                "unresolved": list(line.unresolved),
                "state": line.state,
                "error": line.error,
            }
            for line in report.lines
        ],
        "learned": report.learned,
        "rejected": report.rejected,
    }
