"""The registry's credit: how far its scores can be believed at all, learned from the memories made last.

A registry whose names and descriptions say nothing still has a best object for every question, with the score 1. What
memories found shows it: a registry to be believed scores what a memory found higher for that memory's own intent than
for the intents of others.
"""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from threading import Lock

import numpy as np

from graph.evidence import LatestMemory
from graph.workspaces import Stamp
from services.discovery.candidates import Floats
from services.discovery.expectations import NOTHING_EXPECTED

LATEST = 60  # memories that it is learned from
CATALOGUES = 64  # whose latest memories are known at a time
FEWEST = 3  # below, there is nothing to learn it from


def supports_across(memories: Sequence[LatestMemory]) -> Floats:
    """k x k: how far the registry, asked the intent of column i, finds what memory j of row j found, within 0 and 1.

    The mean score of the objects found over the best mean of as many objects; 0 where it finds nothing.
    """
    expected = [memory.expected or NOTHING_EXPECTED for memory in memories]
    row_of: dict[str, int] = {}
    columns = [row_of.setdefault(item, len(row_of)) for each in expected for item in each.objects]
    sizes = [len(each.objects) for each in expected]
    scores = np.zeros((len(expected), len(row_of)))
    which = np.repeat(np.arange(len(expected)), sizes)
    ranks = np.arange(len(columns)) - np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    flat = list(chain.from_iterable(each.scores for each in expected))
    scores[which, columns] = flat
    widest = max((len(memory.objects) for memory in memories), default=0)
    best = np.zeros((len(expected), max([widest, *sizes]) + 1))
    best[which, ranks + 1] = flat
    best = np.cumsum(best, axis=1)[:, : widest + 1]
    found = np.zeros((len(memories), len(row_of)))
    for row, memory in enumerate(memories):
        found[row, [row_of[item] for item in memory.objects if item in row_of]] = 1
    possible = best[:, [len(memory.objects) for memory in memories]].T
    return np.divide(found @ scores.T, possible, out=np.zeros((len(memories), len(expected))), where=possible > 0)


def credit_of(supports: Floats) -> float:
    """The credit, within 0 and 1, from `supports_across`; 1 where there are fewer than FEWEST memories."""
    count = len(supports)
    if count < FEWEST:
        return 1.0
    own = supports.diagonal()
    off = (supports.sum() - own.sum()) / (count * (count - 1))
    high = (np.quantile(own, 0.85) - 0.6) / 0.1
    apart = (own.mean() / (off + 0.02) - 1.15) / 0.25
    return float(np.round(np.clip(max(high, apart), 0, 1), 6))


Known = dict[str, LatestMemory]


class Credits:
    """What is known of the latest memories of recent catalogues, so that it is read once, and their credit.

    Thread-safe: entries are replaced, never changed.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, int, str], tuple[Known, float]] = OrderedDict()
        self._lock = Lock()

    def known(self, stamp: Stamp, form: str) -> Known:
        """What is known of this catalogue's memories, in this form, by id."""
        with self._lock:
            known, _ = self._known.get(_key(stamp, form), ({}, 1.0))
        return known

    def of(
        self, stamp: Stamp, form: str, *, latest: tuple[str, ...], held: Known, learned: Sequence[LatestMemory]
    ) -> float:
        """The credit by the memories `latest`, of which `learned` are those that were not held."""
        key = _key(stamp, form)
        with self._lock:
            known, credit = self._known.get(key, ({}, 1.0))
        if latest == tuple(known):
            return credit
        new = {memory.id: memory for memory in learned}
        known = {item: new.get(item) or held[item] for item in latest}
        credit = credit_of(supports_across(list(known.values())))
        with self._lock:
            self._known[key] = known, credit
            self._known.move_to_end(key)
            while len(self._known) > CATALOGUES:
                self._known.popitem(last=False)
        return credit


def _key(stamp: Stamp, form: str) -> tuple[str, int, str]:
    return stamp.incarnation, stamp.catalogue_version, form
