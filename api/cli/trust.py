"""`retinue trust`: show or reset how much weight memory gets by each rule, as learned from outcomes."""

import typer

from api.cli.invocation import opened
from api.cli.printing import counted, emit, signed, table

app = typer.Typer(help="Trust: how much weight memory gets by each rule.", no_args_is_help=True)


@app.command("show")
def show(context: typer.Context) -> None:
    """Show the lead of each rule, and the weight memory gets by it."""
    from api.forms.memories import trust_json

    with opened(context) as (services, workspace):
        shown = trust_json(services.discovery.list_trust(workspace))
    rows = [(it["rule"], it["outcomes"], signed(it["lead"], 3), f"{it['heard']:.2f}") for it in shown["trust"]]
    emit(
        context,
        shown,
        lambda: (
            table(("rule", "outcomes", "lead", "weight"), rows, right=(1, 2, 3))
            if rows
            else ["No outcome of a discovery yet: give one with `learn --discovery ID`."]
        ),
    )


@app.command("reset")
def reset(context: typer.Context) -> None:
    """Reset the trust of all rules; memories stay as they are."""
    with opened(context) as (services, workspace):
        forgotten = services.discovery.reset_trust(workspace)
    emit(context, {"forgotten": forgotten}, lambda: [f"Reset the trust of {counted(forgotten, 'rule')}."])
