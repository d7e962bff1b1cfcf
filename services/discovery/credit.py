"""The registry's credit: how far its scores can be believed at all, learned from the memories made last.

A registry whose names and descriptions say nothing still has a best object for every question, with the score 1. What
memories found shows it: a registry to be believed scores what a memory found higher for that memory's own intent than
for the intents of others.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from graph.evidence import LEXICAL_LIMIT, LatestMemory
from graph.workspaces import Stamp
from services.discovery.candidates import Floats
from services.discovery.expectations import NOTHING_EXPECTED

LATEST = 60  # memories that it is learned from
LEAST = 0.01  # what is all noise still ranks what no memory names
CATALOGUES = 64  # whose latest memories are known at a time
FEWEST = 5  # with three memories, four tenths of them wrong, all are wrong once in 16 times; with five, once in 100


def supports_across(memories: Sequence[LatestMemory]) -> Floats:
    """k x k: how far the registry, asked the intent of the memory in a column, finds what the one in a row found.

    It is the mean score of the objects found over the best mean of as many objects, within 0 and 1; 0 where the
    registry finds nothing.
    """
    expected = [memory.expected or NOTHING_EXPECTED for memory in memories]
    row_of: dict[str, int] = {}
    scores = np.zeros((len(memories), sum(len(each.objects) for each in expected)))
    best = np.zeros((len(memories), LEXICAL_LIMIT + 1))
    for row, each in enumerate(expected):
        scores[row, [row_of.setdefault(item, len(row_of)) for item in each.objects]] = each.scores
        best[row, 1 : len(each.scores) + 1] = each.scores
    found = np.zeros_like(scores)
    for row, memory in enumerate(memories):
        found[row, [row_of[item] for item in memory.objects if item in row_of]] = 1
    sizes = [min(len(memory.objects), LEXICAL_LIMIT) for memory in memories]
    possible = np.cumsum(best, axis=1)[:, sizes].T
    return np.divide(found @ scores.T, possible, out=np.zeros_like(possible), where=possible > 0)


def credit_of(supports: Floats) -> float:
    """The credit, within LEAST and 1, from `supports_across`; 1 where there are fewer than FEWEST memories.

    The registry is believed where it finds nearly all that the best-found memories found, or where it finds more for
    a memory's own intent than for others. Either shows where nearly half of the memories are wrong: the first looks at
    the best of them alone, and the second asks for a third more than nothing.
    """
    count = len(supports)
    if count < FEWEST:
        return 1.0
    own = supports.diagonal()
    others = (supports.sum() - own.sum()) / (count * (count - 1))
    found = (np.quantile(own, 0.85) - 0.6) / 0.1
    apart = (own.mean() / (others + 0.05) - 1.15) / 0.25
    return float(np.round(np.clip(max(found, apart), LEAST, 1), 6))


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
