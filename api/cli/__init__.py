"""The `retinue` command: parsing and printing over the services, one module a command or group."""


def main() -> None:
    """Run the command line and exit with its code."""
    import os
    import sys

    # Read when numpy is imported. A product with one vector is bound by memory, not by cores: threads gain little, and
    # on a busy machine they make it three times as slow, as each answer waits for all of them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from api.cli.running import run

    sys.exit(run(sys.argv[1:]))
