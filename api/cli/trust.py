"""`retinue trust`: what outcomes have earned each rule here, and how to start anew."""

from __future__ import annotations

import typer

from api.cli.invocation import opened
from api.cli.printing import counted, emit, signed, table

app = typer.Typer(help="Trust: how far rules are heard, by what outcomes earned them.", no_args_is_help=True)


@app.command("show")
def show(context: typer.Context) -> None:
    """Show what each rule has earned over no memory, and how far it is heard."""
    from api.forms.memories import trust_json

    with opened(context) as (services, workspace):
        shown = trust_json(services.discovery.list_trust(workspace))
    rows = [(it["rule"], it["outcomes"], signed(it["lead"], 3), f"{it['heard']:.2f}") for it in shown["trust"]]
    emit(
        context,
        shown,
        lambda: (
            table(("rule", "outcomes", "lead", "heard"), rows, right=(1, 2, 3))
            if rows
            else ["No outcome of an answer has been told yet: `learn --discovery ID` tells one."]
        ),
    )


@app.command("reset")
def reset(context: typer.Context) -> None:
    """Forget what outcomes earned the rules; memories stay as they are."""
    with opened(context) as (services, workspace):
        forgotten = services.discovery.reset_trust(workspace)
    emit(context, {"forgotten": forgotten}, lambda: [f"Forgot what {counted(forgotten, 'rule')} had earned."])
