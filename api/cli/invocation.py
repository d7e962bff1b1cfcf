"""One run of the command: the global options, and the services opened with them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from api.settings import Settings, read_settings
from api.wiring import Services, open_services


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """The global options; None where the environment or a default decides."""

    store: str | None = None
    workspace: str | None = None
    as_json: bool = False

    def settings(self, **options: str | int | None) -> Settings:
        return read_settings(os.environ, store=self.store, workspace=self.workspace, **options)


def invocation_of(context: typer.Context) -> Invocation:
    found = context.find_root().obj
    assert isinstance(found, Invocation)  # the root callback runs before any command
    return found


@contextmanager
def opened(context: typer.Context, *, for_writing: bool = False) -> Iterator[tuple[Services, str]]:
    """Yield the services and the workspace to work in; `for_writing` creates it if it does not exist."""
    settings = invocation_of(context).settings()
    with open_services(settings) as services:
        if for_writing:
            services.workspaces.ensure(settings.workspace)
        yield services, settings.workspace
