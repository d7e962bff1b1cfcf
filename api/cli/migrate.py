"""`retinue migrate`: bring the schema of the store up to date."""

import typer

from api.cli import exits
from api.cli.invocation import opened
from api.cli.printing import emit
from api.forms.health import health_json


def migrate(context: typer.Context) -> None:
    """Bring the schema of the store up to date. Idempotent."""
    with opened(context) as (services, _):
        health = services.store.health()
    emit(
        context,
        health_json(health),
        lambda: [
            f"{health.store}: schema {health.schema}, {'ready' if health.ready else 'not ready'}",
            *health.problems,
            *health.mended,
        ],
    )
    if not health.ready:
        raise typer.Exit(exits.UNAVAILABLE)
