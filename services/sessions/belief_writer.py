"""BeliefWriter in premises, written behind: people see in the graph how far each is believed, and why.

What policies go by is worked out from the session itself; nothing is ever read back from here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from threading import Lock

from graph.premises import Premise
from graph.store import Store
from services.best_effort import best_effort
from services.retention.beliefs.term_index import cut
from services.sessions.cache import CachedSession

BATCH = 2_000
MOST = 50_000  # premises of a session; more are worked with, and not noted
MOVED = 0.005  # a smaller change is not worth a write
RARE = 32  # a word that more texts share is no reason


class BeliefWriter:
    """Notes what changed since it was noted last. Safe to use from several threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted: dict[tuple[str, str], tuple[str, dict[tuple[str, str], float]]] = {}
        self._lock = Lock()

    def note(self, workspace: str, shelved: CachedSession) -> int:
        """Writes those of the session's beliefs that moved, as best it can; how many it wrote."""
        contents = shelved.contents
        if not len(contents.sources) or len(contents.sources) > MOST:
            return 0
        key, incarnation = (workspace, contents.session.id), contents.session.incarnation
        with self._lock:
            before, noted = self._noted.get(key, (incarnation, {}))
        if before != incarnation:
            noted = {}
        moved = []
        for it in _believed(shelved):
            old = noted.get((it.chunk, it.premise))
            if old is None or it.belief is None or abs(old - it.belief) > MOVED:
                moved.append(it)
        written = 0
        with best_effort("keeping beliefs"):  # somebody deleted the session meanwhile, or the store is busy
            for start in range(0, len(moved), BATCH):
                batch = moved[start : start + BATCH]
                written += self._store.save_beliefs(workspace, contents.session.id, batch)
                noted = noted | {(it.chunk, it.premise): it.belief or 0.0 for it in batch}
        with self._lock:
            self._noted[key] = (incarnation, noted)
        return written


def _believed(shelved: CachedSession) -> Iterator[Premise]:
    contents = shelved.contents
    beliefs = shelved.core.beliefs.declared
    words = [frozenset(cut(text)) for text in contents.texts]
    frequency = Counter(word for text in words for word in text)
    for source, target, belief in zip(
        contents.sources.tolist(), contents.targets.tolist(), beliefs.tolist(), strict=True
    ):
        yield Premise(
            chunk=contents.ids[source],
            premise=contents.ids[target],
            belief=round(float(belief), 4),
            reasons=tuple(_reasons(words[source], words[target], frequency, earlier=target < source)),
        )


def _reasons(one: frozenset[str], other: frozenset[str], frequency: Counter[str], *, earlier: bool) -> Sequence[str]:
    """What speaks for and against, in words: the order, and the rarest word that both say."""
    shared = min(one & other, key=lambda word: (frequency[word], -len(word), word), default=None)
    order = "it comes earlier" if earlier else "it comes later"
    if shared is None:
        return order, "the two share no word"
    if frequency[shared] > RARE:
        return order, "the two share common words only"
    return order, f"both say {shared!r}, as {frequency[shared]} texts do"
