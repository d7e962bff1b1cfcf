"""The composition root: it builds the store, the encoder and the services from the settings.

Each part is imported and built at first use, so that a command only loads what it needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Self

from api.settings import Settings, default_store
from services.workspaces import WorkspaceService

if TYPE_CHECKING:
    from graph.store import Store
    from services.catalogue import CatalogueService
    from services.catalogue_index import CatalogueIndexes
    from services.discovery.service import DiscoveryService
    from services.encoders import Encoder
    from services.learning import LearningService
    from services.memories import MemoryService
    from services.sessions import SessionService


def now() -> datetime:
    """Return the time in UTC: the clock of the services, unless a test passes another."""
    return datetime.now(UTC)


class Services:
    """The services over one open store. Leaving the `with` block closes it."""

    def __init__(self, store: Store, *, encoder: str = "auto", clock: Callable[[], datetime] = now) -> None:
        self.store = store
        self.clock = clock
        self._encoder = encoder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.store.close()

    @cached_property
    def _loaded(self) -> tuple[Encoder | None, str | None]:
        from services.encoders import load_encoder

        return load_encoder(self._encoder)

    @property
    def encoder(self) -> Encoder | None:
        return self._loaded[0]

    @property
    def encoder_missing(self) -> str | None:
        """Why there is no encoder, None if there is one."""
        return self._loaded[1]

    @cached_property
    def registries(self) -> CatalogueIndexes:
        from services.catalogue_index import CatalogueIndexes

        return CatalogueIndexes(self.store)

    @cached_property
    def workspaces(self) -> WorkspaceService:
        return WorkspaceService(self.store, self.clock)

    @cached_property
    def catalogue(self) -> CatalogueService:
        from services.catalogue import CatalogueService

        return CatalogueService(self.store, self.encoder)

    @cached_property
    def memories(self) -> MemoryService:
        from services.memories import MemoryService

        return MemoryService(self.store, self.encoder, self.clock)

    @cached_property
    def learning(self) -> LearningService:
        from services.learning import LearningService

        return LearningService(self.memories, self.registries)

    @cached_property
    def sessions(self) -> SessionService:
        from services.sessions import SessionService

        return SessionService(
            self.store, self.encoder, self.clock, missing=self.encoder_missing, missed=self._encoder != "none"
        )

    @cached_property
    def discovery(self) -> DiscoveryService:
        from services.discovery.service import DiscoveryService

        return DiscoveryService(
            self.store,
            self.registries,
            self.encoder,
            missing=self.encoder_missing,
            missed=self._encoder != "none",
            clock=self.clock,
        )


def open_services(
    settings: Settings, *, environment: Mapping[str, str] = os.environ, clock: Callable[[], datetime] = now
) -> Services:
    """Open the services over the store that the settings name, and create the workspace `default`."""
    services = Services(open_store(settings, environment=environment), encoder=settings.encoder, clock=clock)
    try:
        services.workspaces.ensure("default")
    except BaseException:
        services.close()
        raise
    return services


def open_store(settings: Settings, *, environment: Mapping[str, str] = os.environ) -> Store:
    """Open the store that the settings name, with its schema up to date."""
    url = settings.store or default_store(environment)
    if settings.backend == "neo4j":
        import logging

        from graph.neo4j.store import open_store as open_neo4j

        # the driver reports by errors as well; without a handler Python prints its log on stderr
        logging.getLogger("neo4j").addHandler(logging.NullHandler())

        # a server without authentication accepts any credentials
        user, password = settings.neo4j_user or "", settings.neo4j_password or ""
        return open_neo4j(url, user=user, password=password, database=settings.neo4j_database)
    from graph.embedded import open_store as open_embedded

    return open_embedded(url)


def open_memory_store() -> Store:
    """Open a store in memory with nothing in it, whatever the settings name."""
    return open_store(Settings(store="memory://"))
