"""Confirmation before something is deleted, unless `--yes` was given."""

import sys

import typer

from api.cli import exits
from api.cli.invocation import invocation_of
from api.cli.printing import note


class Unasked(typer.BadParameter):
    """Nobody can be asked, and `--yes` is missing; not reported as a wrong option."""

    def format_message(self) -> str:
        return self.message


def agreed(context: typer.Context, what: str, *, yes: bool) -> None:
    """Return if the user agrees, else exit. Raises `Unasked` without a terminal, and with `--json`."""
    if yes:
        return
    if invocation_of(context).as_json or not sys.stdin.isatty():
        raise Unasked(f"{what}. Nothing was done, since there is no terminal to ask on; give --yes", ctx=context)
    if not typer.confirm(f"{what}. Go on?", err=True):
        note("Nothing was done.")
        raise typer.Exit(exits.DONE)
