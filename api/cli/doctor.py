"""`retinue doctor`: check the settings, the store and the encoder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from api.cli import exits
from api.cli.invocation import invocation_of, opened
from api.cli.printing import emit
from api.forms.health import DifferenceReply, difference_json, health_json
from api.settings import unknown_variables
from graph.errors import NotFound, RetinueError


def doctor(
    context: typer.Context,
    query: Annotated[
        str | None, typer.Option(help="Show this query as it is sent to Neo4j, and check nothing.", metavar="NAME")
    ] = None,
) -> None:
    """Check the settings, the store, its memories and the encoder.

    Creates and reports indexes that are missing or broken. Exit code 4 where relationships of memories were changed by
    hand, 6 where the store is not ready.
    """
    if query is not None:
        _show_query(context, query)
        return
    import platform
    from importlib.metadata import version

    notes = [f"{name} is set, but is not a setting of Retinue" for name in unknown_variables(os.environ)]
    store, differences, code = _store_state(context)
    encoder, missing = _encoder_state(context)
    if missing:
        notes.append(missing)
    value = {
        "version": version("retinue"),
        "python": platform.python_version(),
        "store": store,
        "differences": differences,
        "encoder": encoder,
        "notes": notes,
    }
    emit(context, value, lambda: _shown(value))
    if code:
        raise typer.Exit(code)


def _show_query(context: typer.Context, name: str) -> None:
    """Print the query files of this name, one for each release of Neo4j that has its own, with fragments expanded."""
    from graph.neo4j.queries import all_queries

    queries = all_queries()
    named = [query for query in queries if name in query.operations]
    if not named:
        known = ", ".join(sorted({name for query in queries for name in query.operations}))
        raise NotFound(f"query {name!r}", found="no such query", hint=f"The queries are: {known}")
    shown = [{"path": query.path, "text": f"{query.header}\n{query.text}"} for query in named]
    emit(
        context,
        {"queries": shown},
        lambda: "\n\n".join(f"// cypher/{it['path']}\n{it['text']}" for it in shown).split("\n"),
    )


def _store_state(context: typer.Context) -> tuple[Mapping[str, Any], list[DifferenceReply], int]:
    """The store's health, the memories of all workspaces whose relationships differ, and the exit code."""
    failing = exits.USAGE  # contradictory settings; an error of the store itself is UNAVAILABLE
    try:
        invocation_of(context).settings()
        failing = exits.UNAVAILABLE
        with opened(context) as (services, _):
            health = services.store.health()
            differences = [
                difference_json(workspace.name, each)
                for workspace in (services.workspaces.list() if health.ready else ())
                for each in services.memories.check(workspace.name)
            ]
    except RetinueError as error:
        return {"ready": False, "problems": [str(error)]}, [], failing
    code = exits.CONFLICT if differences else exits.DONE
    return health_json(health), differences, code if health.ready else exits.UNAVAILABLE


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
    for it in value["differences"]:
        parts = [f"{what} {', '.join(it[key])}" for key, what in (("lacking", "lacks"), ("extra", "has")) if it[key]]
        yield f"  memory {it['memory']} in {it['workspace']}: its {it['relationship']} {' and '.join(parts)}"
    if value["differences"]:
        yield "  `retinue memory confirm` or `refute` writes what a memory found again"
    yield f"encoder: {value['encoder'] or 'none; words alone'}"
    yield from (f"note: {text}" for text in value["notes"])
