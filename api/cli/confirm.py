"""Asking before something goes: shown what would go, a person says yes, or `--yes` did."""

from __future__ import annotations

import sys

import typer

from api.cli import exits
from api.cli.invocation import invocation_of
from api.cli.printing import note


class Unasked(typer.BadParameter):
    """Nobody is there to ask; what was typed is right as far as it goes."""

    def format_message(self) -> str:
        return self.message


def agreed(context: typer.Context, what: str, *, yes: bool) -> None:
    """Goes on where the person agrees, and ends the command where not. Raises `Unasked` where nobody is there."""
    if yes:
        return
    if invocation_of(context).as_json or not sys.stdin.isatty():
        raise Unasked(f"{what}. Nothing was done, since nobody can be asked here; --yes does it", ctx=context)
    if not typer.confirm(f"{what}. Go on?", err=True):
        note("Nothing was done.")
        raise typer.Exit(exits.DONE)
