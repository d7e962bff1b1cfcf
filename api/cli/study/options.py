"""What the commands of `retinue study` share: options, the encoder, and the run with its progress and notes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.invocation import invocation_of
from api.cli.printing import note
from api.cli.progress import progress
from api.wiring import now

if TYPE_CHECKING:
    from services.studies.running import Study

ProtocolFile = Annotated[Path | None, typer.Option(metavar="F.toml", help="The same options, by name.")]
Exploratory = Annotated[bool, typer.Option("--exploratory", help="Run a changed protocol; the report says so.")]
Jobs = Annotated[int, typer.Option(metavar="N", help="Number of processes.")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed of all random draws.")]


def encoding(context: typer.Context) -> dict[str, Any]:
    """Load the `encoder` of the settings, if any, and name the folder that embeddings are kept in, the `cache`."""
    import platformdirs

    from services.encoders import load_encoder

    encoder, _ = load_encoder(invocation_of(context).settings().encoder)
    cache = platformdirs.user_cache_path("retinue", appauthor=False) / "embeddings"
    return {"encoder": encoder, "cache": cache}


def run_study(
    study: Study, out: Path | None, *, protocol_file: str | None, exploratory: bool, jobs: int
) -> dict[str, Any]:
    """Run a study with a progress bar, and say on stderr what was left out. Returns its summary."""
    from services.studies.running import run

    with progress("rows") as report:
        summary = run(
            study, out, clock=now, protocol_file=protocol_file, exploratory=exploratory, jobs=jobs, progress=report
        )
    for reason in summary["left_out"]:
        note(f"Left out: {reason}")
    return summary
