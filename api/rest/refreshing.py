"""The server's background refresh: it makes the expectations and embeddings that discovery lacks.

One thread works in small batches and can stop between two of them; after a failure it tries again later.
"""

import logging
import threading

from api.rest.middleware.metrics import Measures
from api.wiring import Services
from graph.workspaces import Stamp
from services.best_effort import count_failed

log = logging.getLogger("retinue.refreshing")

PAUSE_SECONDS = 5.0
BATCH = 50


class Refresher:
    """Keep derived values current while the server runs."""

    def __init__(self, services: Services, *, measures: Measures, pause_seconds: float = PAUSE_SECONDS) -> None:
        self.services = services
        self.measures = measures
        self.pause_seconds = pause_seconds
        self.resting: dict[str, Stamp] = {}  # workspaces that need nothing until they change
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retinue-refresher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; returns once the batch under way is done."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self.pause_seconds):
            try:
                self._round()
            except Exception:
                # whatever it is, answers do without; the next round tries again
                count_failed("refreshing")
                log.warning("the background refresh failed and will be tried again", exc_info=True)

    def _round(self) -> None:
        for workspace in self.services.workspaces.list():
            while not self._stopped.is_set() and self.resting.get(workspace.name) != workspace.stamp:
                done = self.services.discovery.refresh(workspace.name, limit=BATCH)
                self.measures.refreshed.inc(done)
                if done < BATCH:
                    self.resting[workspace.name] = workspace.stamp
