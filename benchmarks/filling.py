"""A store filled with a synthetic warehouse through the services, as users fill theirs, and the services over it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from api.wiring import Services
from benchmarks.synthetic import SyntheticEncoder, Warehouse
from graph.store import Store
from services.encoders import Encoder
from services.memories import Entry

AT = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 1_000


class Filled(Services):
    """The services over a store, with an encoder that is given and not loaded."""

    def __init__(self, store: Store, *, encoder: Encoder | None = None) -> None:
        super().__init__(store, clock=lambda: AT)
        self._given = encoder

    @property
    def encoder(self) -> Encoder | None:
        return self._given

    @property
    def encoder_missing(self) -> str | None:
        return None if self._given else "none in this benchmark"


def fill(services: Services, workspace: str, made: Warehouse) -> None:
    services.workspaces.ensure(workspace)
    services.catalogue.import_catalogue(workspace, made.catalogue)
    for batch in batches(made.memories):
        services.memories.remember_all(workspace, batch)


def batches(entries: Sequence[Entry]) -> list[Sequence[Entry]]:
    return [entries[start : start + BATCH] for start in range(0, len(entries), BATCH)]


def warm_encoder(made: Warehouse) -> SyntheticEncoder:
    encoder = SyntheticEncoder()
    encoder.encode(made.texts)
    return encoder
