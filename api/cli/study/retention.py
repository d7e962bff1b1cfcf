"""`retinue study retention`: what each policy keeps under a budget, over scenarios whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from api.cli import exits
from api.cli.invocation import invocation_of
from api.cli.printing import emit, note, table
from api.cli.study.options import Exploratory, Jobs, ProtocolFile, Seed, encoding, run_study
from api.wiring import open_services
from graph.errors import InvalidInput

if TYPE_CHECKING:
    from services.studies.retention.asking import Answering


def study_retention(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder for manifest, rows, summary, report and plots.")
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Scenario files, or folders of them; generated ones without it."),
    ] = None,
    suite: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only these suites.")] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="P", help="dsgc, dsgc@lambda=0.5, closure, default, ...; all without it."),
    ] = None,
    encoder: Annotated[
        list[str] | None, typer.Option(metavar="E", help="hashing (without it), hashing-ascii, tfidf, bm25, neural.")
    ] = None,
    budget_multiplier: Annotated[
        list[float] | None, typer.Option(metavar="M", help="Budgets as multiples of what the chain costs.")
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="budget, scale, length, density, noise, loss, lambda, depth, threshold, top, ..."
        ),
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(metavar="N", help="Scenarios of each generated variant (4 without it).")
    ] = None,
    seed: Seed = None,
    check_expected: Annotated[
        bool, typer.Option("--check-expected", help="Compare with the lists that the files expect; --out may lack.")
    ] = False,
    protocol_file: ProtocolFile = None,
    exploratory: Exploratory = False,
    jobs: Jobs = 1,
) -> None:
    """Ask every policy about every scenario and score it.

    Scored is whether the whole chain is kept. With --store URL the sessions of that store are asked, in a
    workspace that is deleted afterwards.
    """
    from services.studies.retention.expected import agreement, falls_short
    from services.studies.retention.protocol import make_retention_protocol
    from services.studies.retention.study import RetentionStudy

    if out is None and not check_expected:
        raise InvalidInput("a study without --out", found="nowhere to write to", hint="Give --out DIR")
    given = {
        "data": [str(place) for place in data or ()],
        "suite": suite,
        "policy": policy,
        "encoder": encoder,
        "budget_multiplier": budget_multiplier,
        "sweep": sweep,
        "repeat": repeat,
        "seed": seed,
    }
    made, digest = make_retention_protocol(given, file=protocol_file)
    with _answering(context) as (answering, kind):
        study = RetentionStudy(
            made, **encoding(context), answering=answering, store=kind, check_expected=check_expected
        )
        summary = run_study(study, out, protocol_file=digest, exploratory=exploratory, jobs=jobs)
    keys = ("suite", "encoder", "regime", "policy", "full_chain", "low", "high", "coverage", "chain_break_rate")
    header = (*keys[:4], "full chain", "low", "high", "coverage", "broken", "scenarios")
    cells = [[*(row[key] for key in keys), row["scenarios"]] for row in summary["rows"]]
    emit(context, summary, lambda: table(header, cells, right=range(4, 10)))
    for name, (equal, count) in agreement(summary.get("expected", ())).items():
        note(f"{name}: {equal:,} of {count:,} lists as expected ({100 * equal / count:.2f} %)")
    if short := falls_short(summary.get("expected", ())):
        note(f"Too few lists as expected: {', '.join(short)}")
        raise typer.Exit(exits.FAULT)


@contextmanager
def _answering(context: typer.Context) -> Iterator[tuple[Answering | None, str]]:
    """What answers, and its kind in a word: a store where --store names one, with a workspace for this study."""
    invocation = invocation_of(context)
    if invocation.store is None:
        yield None, "none"
        return
    from services.studies.retention.asking import from_store

    settings = invocation.settings()
    with open_services(settings) as services:
        name = f"study-{uuid4().hex[:12]}"
        services.workspaces.create(name)
        try:
            yield from_store(services.sessions, name), settings.backend
        finally:
            services.workspaces.delete(name)
