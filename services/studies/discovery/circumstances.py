"""Which memories a task meets: those of all earlier tasks, only wrong ones, some with other objects than they found.

Seeded draws and comparisons of sets; nothing is asked or stored here.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from services.studies.discovery.protocol import DiscoveryProtocol
from services.studies.discovery.tasks import StudyDomain, StudyTask


def remembered(domain: StudyDomain, *, protocol: DiscoveryProtocol, stream: int = 0) -> dict[str, tuple[str, ...]]:
    """Return, by task, the objects that its memory will name; a share `corrupt` of them are exchanged.

    The share is kept over all streams (turns of a rotation): of few tasks one turn exchanges more, another fewer.
    """
    kept = {task.id: task.needed for task in domain.tasks}
    each = protocol.corrupt * len(domain.tasks)
    count = round(each * (stream + 1)) - round(each * stream)
    draw = np.random.default_rng([protocol.seed, stream, *domain.name.encode()])
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
        """Return those of the others that need an attribute which this task needs too."""
        return [other for other in others if self._of[task.id] & self._of[other.id]]


def agreement(domain: StudyDomain, kept: Mapping[str, Sequence[str]]) -> float:
    """Return the mean F1 of what memories name against what their tasks need: 1 where all are right."""
    needed = {task.id: set(task.needed) for task in domain.tasks}
    shared = [2 * len(needed[key] & set(own)) / (len(needed[key]) + len(own)) for key, own in kept.items()]
    return sum(shared) / len(shared)
