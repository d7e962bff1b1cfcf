"""`retinue study logs`: whether what is kept of real logs holds what the next calls use."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.printing import emit, table
from api.cli.study.options import Exploratory, Jobs, ProtocolFile, Seed, encoding, run_study


def study_logs(
    context: typer.Context,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for manifest, rows, summary, report and plots.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="Folders of DOMAIN.jsonl or .jsonl.gz, a session a line."),
    ] = None,
    policy: Annotated[list[str] | None, typer.Option(metavar="P", help="recent, coverage, default, ...")] = None,
    encoder: Annotated[str | None, typer.Option(metavar="E", help="hashing (without it), tfidf, bm25, neural.")] = None,
    share: Annotated[
        list[float] | None, typer.Option(metavar="X", help="Budgets as shares of the tokens so far.")
    ] = None,
    points: Annotated[int | None, typer.Option(metavar="N", help="Points a session, at most (2 without it).")] = None,
    counter: Annotated[str | None, typer.Option(help="How tokens are counted: words (without it), bytes.")] = None,
    seed: Seed = None,
    protocol_file: ProtocolFile = None,
    exploratory: Exploratory = False,
    jobs: Jobs = 1,
) -> None:
    """Ask every policy at later steps of real logs what to keep, and score it by what the next calls use."""
    from services.studies.logs.study import LogsStudy, make_logs_protocol

    given = {
        "data": [str(place) for place in data or ()],
        "policy": policy,
        "encoder": encoder,
        "share": share,
        "points": points,
        "counter": counter,
        "seed": seed,
    }
    made, digest = make_logs_protocol(given, file=protocol_file)
    summary = run_study(
        LogsStudy(made, **encoding(context)), out, protocol_file=digest, exploratory=exploratory, jobs=jobs
    )
    keys = ("data", "domain", "policy", "share", "held", "low", "high", "n")
    rows = [
        [f"{row[key]:.3f}" if key in ("held", "low", "high") else row[key] for key in keys] for row in summary["rows"]
    ]
    emit(context, summary, lambda: table((*keys[:-1], "sessions"), rows, right=range(3, 8)))
