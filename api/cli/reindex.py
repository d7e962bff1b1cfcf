"""`retinue reindex`: make missing embeddings and expectations."""

import typer

from api.cli.invocation import opened
from api.cli.printing import emit
from api.cli.progress import progress


def reindex(context: typer.Context) -> None:
    """Update embeddings, expectations and indexes.

    Makes those that are missing, out of date or broken.
    """
    with opened(context) as (services, workspace), progress("reindexing") as report:
        done = services.discovery.reindex(workspace, progress=report)
    emit(
        context,
        {"workspace": workspace, "objects": done.objects, "intents": done.intents, "expectations": done.expectations},
        lambda: [
            f"{workspace}: {done.objects:,} objects and {done.intents:,} intents embedded, "
            f"{done.expectations:,} expectations made."
        ],
    )
