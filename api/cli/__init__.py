"""The `retinue` command: it parses, the services do. One module holds one group of commands."""

from __future__ import annotations


def main() -> None:
    """The entry point: runs the command line and leaves with its exit code."""
    import os
    import sys

    # Read when numpy is imported. A product with one vector waits for memory, not for a core: threads make it little
    # faster, and on a busy machine three times as slow, as each answer waits for all of them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from api.cli.running import run

    sys.exit(run(sys.argv[1:]))
