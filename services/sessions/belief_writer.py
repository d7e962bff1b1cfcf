"""Beliefs written to the graph after an answer, so that people see how far each premise is believed, and why.

Policies compute beliefs from the session itself; nothing reads them back from here.
"""

from collections.abc import Iterator
from threading import Lock

from graph.premises import Premise, Premises
from services.best_effort import best_effort
from services.retention.beliefs.reasons import reasons_of
from services.sessions.cache import CachedSession

BATCH = 2_000
MOST = 50_000  # premises; the beliefs of a session with more are not written
MOVED = 0.005  # a smaller change is not worth a write


class BeliefWriter:
    """Writes the beliefs that changed since the last write of this process. Thread-safe."""

    def __init__(self, store: Premises) -> None:
        self._store = store
        self._written: dict[tuple[str, str], tuple[str, dict[tuple[str, str], float]]] = {}
        self._lock = Lock()

    def write(self, workspace: str, cached: CachedSession) -> int:
        """Write the beliefs that moved by more than MOVED. Best effort; returns how many premises were written."""
        contents = cached.contents
        if not len(contents.sources) or len(contents.sources) > MOST:
            return 0
        key, incarnation = (workspace, contents.session.id), contents.session.incarnation
        with self._lock:
            before, written = self._written.get(key, (incarnation, {}))
        if before != incarnation:
            written = {}
        new = -1.0  # differs from any belief by more than MOVED
        moved = [it for it in _believed(cached) if abs(written.get((it.chunk, it.premise), new) - _belief(it)) > MOVED]
        count = 0
        with best_effort("keeping beliefs"):  # the session may have been deleted since, or the store be busy
            for start in range(0, len(moved), BATCH):
                batch = moved[start : start + BATCH]
                count += self._store.save_beliefs(workspace, contents.session.id, batch)
                written = written | {(it.chunk, it.premise): _belief(it) for it in batch}
        with self._lock:
            self._written[key] = (incarnation, written)
        return count


def _belief(premise: Premise) -> float:
    return premise.belief or 0.0


def _believed(cached: CachedSession) -> Iterator[Premise]:
    contents, beliefs = cached.contents, cached.core.beliefs
    ends = zip(contents.sources.tolist(), contents.targets.tolist(), strict=True)
    for (source, target), belief, reasons in zip(ends, beliefs.declared.tolist(), reasons_of(beliefs), strict=True):
        yield Premise(
            chunk=contents.ids[source], premise=contents.ids[target], belief=round(belief, 4), reasons=reasons
        )
