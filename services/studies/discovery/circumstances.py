"""What memories a task meets: those of all earlier tasks, only wrong ones, some with other objects than they found.

Seeded draws and comparisons of sets; nothing is asked or stored here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from services.studies.discovery.tasks import StudyDomain, StudyTask

StudyMemories = Literal["all", "wrong"]
StudyTrust = Literal["fresh", "earned", "held"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """`wrong`: a task meets only the memories that share no attribute with what it needs. `corrupt`: the share of
    memories whose objects are exchanged for others of the catalogue.

    `trust`, with wrong memories: `fresh`, each outcome earns it or loses it from the first task on. `earned`: first
    all tasks are asked with their true memories, and what that earned is what the wrong ones then meet and lose.
    `held`, the hardest: outcomes go on to be those of true memories, and each question alone meets wrong ones.
    """

    memories: StudyMemories = "all"
    corrupt: float = 0.0
    trust: StudyTrust = "fresh"
    seed: int = 0


def remembered(domain: StudyDomain, *, circumstances: Circumstances, stream: int = 0) -> dict[str, tuple[str, ...]]:
    """By task, the objects that its memory will name. Over streams (turns of a rotation) the share is kept: of few
    tasks one turn exchanges more, another fewer."""
    kept = {task.id: task.needed for task in domain.tasks}
    each = circumstances.corrupt * len(domain.tasks)
    count = round(each * (stream + 1)) - round(each * stream)
    draw = np.random.default_rng([circumstances.seed, stream, *domain.name.encode()])
    ids = sorted(item.id for item in domain.catalogue.objects)
    for position in sorted(draw.choice(len(domain.tasks), count, replace=False).tolist()):
        task = domain.tasks[position]
        others = [item for item in ids if item not in task.needed]
        chosen = draw.choice(len(others), min(len(task.needed), len(others)), replace=False)
        kept[task.id] = tuple(sorted(others[place] for place in chosen.tolist()))
    return kept


class Attributes:
    """Which tasks need an attribute in common."""

    def __init__(self, domain: StudyDomain) -> None:
        tables = {item.id for item in domain.catalogue.objects if item.kind == "table"}
        self._of = {task.id: frozenset(task.needed) - tables for task in domain.tasks}

    def shared(self, task: StudyTask, others: Sequence[StudyTask]) -> list[StudyTask]:
        return [other for other in others if self._of[task.id] & self._of[other.id]]


def agreement(domain: StudyDomain, kept: Mapping[str, Sequence[str]]) -> float:
    """The mean F1 of what memories name against what their tasks need: 1 where all are right."""
    needed = {task.id: set(task.needed) for task in domain.tasks}
    shared = [2 * len(needed[key] & set(own)) / (len(needed[key]) + len(own)) for key, own in kept.items()]
    return sum(shared) / len(shared)
