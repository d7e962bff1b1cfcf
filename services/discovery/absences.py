"""What a rule would have put first without each memory that was loud in it: by this an outcome judges memories.

Only memories of much the same question are judged: what is far off and misleads was not meant, which is no fault of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graph.feedback import Trial
from services.discovery.rules import Recall, Verdict

NEAR = 0.7  # measured: from .5 down right memories of other questions were refuted, and cost .001 F1@5
MOST_JUDGED = 5


def trials_without(
    full: Trial, verdict: Verdict, memories: Recall, *, first: Callable[[Verdict], tuple[str, ...]]
) -> tuple[Trial, ...]:
    """The loudest near ones, where the first would be others without them than those of `full`."""
    near = np.flatnonzero(memories.of("similarity") >= NEAR)
    loudness = np.abs(verdict.voices).sum(axis=1)
    loudest = sorted(near.tolist(), key=lambda row: (-loudness[row], memories.memories[row].id))[:MOST_JUDGED]
    trials = []
    for row in loudest:
        voices = verdict.voices.copy()
        voices[row] = 0
        results = first(Verdict(registry=verdict.registry, voices=voices))
        if results != full.results:
            trials.append(Trial(rule=full.rule, results=results, without=memories.memories[row].id))
    return tuple(trials)
