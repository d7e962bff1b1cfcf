"""Asking before something goes: shown what would go, a person says yes, or `--yes` did."""

from __future__ import annotations

import sys

import typer


def agreed(what: str, *, yes: bool) -> None:
    """Goes on where the person agrees. Raises `typer.BadParameter` where nobody is there to ask."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter(f"{what}. Nothing is done yet; give --yes to do it")
    if not typer.confirm(f"{what}. Go on?", err=True):
        raise typer.Abort
