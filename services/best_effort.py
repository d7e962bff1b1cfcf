"""Best-effort writes: work beside an answer that must not fail it. A failure is logged and counted, not raised."""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from graph.errors import RetinueError

log = logging.getLogger("retinue.best_effort")

_failed: Counter[str] = Counter()
_lock = Lock()


@contextmanager
def best_effort(write: str) -> Iterator[None]:
    """Run the block, and let no `RetinueError` out of it; `write` names the work in the log and in the count."""
    try:
        yield
    except RetinueError as error:
        count_failed(write)
        log.warning("%s failed: %s", write, error)


def count_failed(write: str) -> None:
    """Count one failure of `write` that somebody else has logged."""
    with _lock:
        _failed[write] += 1


def failed_writes() -> dict[str, int]:
    """Return how often each write has failed in this process."""
    with _lock:
        return dict(_failed)
