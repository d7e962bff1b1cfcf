"""Waiting for a lock that another process holds: short pauses, growing, up to a deadline.

SQLite's own waiting sleeps up to 100 ms at a time, so that a writer in a loop starves the others.
"""

import random
import time

LIMIT_SECONDS = 60.0
LONGEST_PAUSE_SECONDS = 0.004
BUSY_HINT = "Another process has been writing for a long time: try again, or stop it"


class LockWait:
    """One wait, from now on."""

    def __init__(self) -> None:
        self._deadline = time.monotonic() + LIMIT_SECONDS
        self._pause = LONGEST_PAUSE_SECONDS / 16

    def pause(self) -> bool:
        """Sleeps a little, or says that it has been long enough."""
        if time.monotonic() > self._deadline:
            return False
        time.sleep(self._pause * random.uniform(0.5, 1.0))  # apart, so that two who wait do not meet each time
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        return True
