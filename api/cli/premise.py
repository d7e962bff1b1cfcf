"""`retinue premise`: add which chunk rests on which."""

from typing import Annotated, Literal

import typer

from api.cli.invocation import opened
from api.cli.options import InSession
from api.cli.printing import emit

app = typer.Typer(help="Premises: what a chunk rests on.", no_args_is_help=True)


@app.command("add")
def add(
    context: typer.Context,
    chunk: Annotated[str, typer.Argument(metavar="CHUNK", help="The chunk that rests on another.")],
    premise: Annotated[str, typer.Argument(metavar="PREMISE", help="The chunk that it rests on.")],
    session: InSession,
    grade: Annotated[Literal["declared", "observed", "inferred"], typer.Option(help="How it is known.")] = "declared",
    weight: Annotated[float, typer.Option(help="Within 0 and 1.")] = 1.0,
) -> None:
    """Add that a chunk rests on another."""
    from api.forms.sessions import premises_added_json
    from graph.premises import Premise

    with opened(context) as (services, workspace):
        given = Premise(chunk=chunk, premise=premise, grade=grade, weight=weight)
        done = services.sessions.add_premises(workspace, session, [given])
    said = "added" if done.added else "changed" if done.updated else "unchanged"
    emit(context, premises_added_json(done), lambda: [f"{chunk} rests on {premise}: {said}."])
