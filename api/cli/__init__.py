"""The `retinue` command: it parses, the services do. One module holds one group of commands."""

from __future__ import annotations


def main() -> None:
    """The entry point: runs the command line and leaves with its exit code."""
    import sys

    from api.cli.running import run

    sys.exit(run(sys.argv[1:]))
