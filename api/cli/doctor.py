"""`retinue doctor`: check the settings, the store and the encoder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import typer

from api.cli import exits
from api.cli.invocation import invocation_of, opened
from api.cli.printing import emit
from graph.errors import RetinueError


def doctor(context: typer.Context) -> None:
    """Check the settings, the store and the encoder.

    Indexes that were dropped or are broken are made anew, and said; exit code 6 where the store is not ready.
    """
    import platform
    from importlib.metadata import version

    from api.settings import unknown_variables

    notes = [f"{name} is set, and is no setting of Retinue" for name in unknown_variables(os.environ)]
    store, code = _store_state(context)
    encoder, missing = _encoder_state(context)
    if missing:
        notes.append(missing)
    value = {
        "version": version("retinue"),
        "python": platform.python_version(),
        "store": store,
        "encoder": encoder,
        "notes": notes,
    }
    emit(context, value, lambda: _shown(value))
    if code:
        raise typer.Exit(code)


def _store_state(context: typer.Context) -> tuple[dict[str, Any], int]:
    from api.forms.health import health_json

    failing = exits.USAGE  # settings that contradict themselves; what the store says to them is its state
    try:
        invocation_of(context).settings()
        failing = exits.UNAVAILABLE
        with opened(context) as (services, _):
            health = services.store.health()
    except RetinueError as error:
        return {"ready": False, "problems": [str(error)]}, failing
    return health_json(health), exits.DONE if health.ready else exits.UNAVAILABLE


def _encoder_state(context: typer.Context) -> tuple[str | None, str | None]:
    from services.encoders import load_encoder

    try:
        encoder, missing = load_encoder(invocation_of(context).settings().encoder)
    except RetinueError as error:
        return None, str(error)
    return encoder.name if encoder else None, missing


def _shown(value: dict[str, Any]) -> Iterator[str]:
    store = value["store"]
    yield f"retinue {value['version']}, Python {value['python']}"
    yield f"store: {store.get('store', 'not opened')}, {'ready' if store['ready'] else 'NOT READY'}"
    yield from (f"  {said}" for said in (*store["problems"], *store.get("mended", ())))
    yield f"encoder: {value['encoder'] or 'none; words alone'}"
    yield from (f"note: {text}" for text in value["notes"])
