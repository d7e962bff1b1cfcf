"""Run a command line: errors become a message on stderr and an exit code.

With `--json` an error is one JSON value on stdout as well, so that a program need not read stderr.
"""

import json
import os
import sys
import traceback
from collections.abc import Sequence

import typer

from api.cli import exits
from graph.errors import RetinueError

GLOBAL_OPTIONS = {"--json": False, "--store": True, "--workspace": True}  # True: a value follows


def run(arguments: Sequence[str]) -> int:
    """Run the command line `arguments`. Returns its exit code."""
    from api.cli.app import command

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # any language, independent of the locale
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    ordered = global_options_first(arguments)
    as_json = "--json" in ordered[: ordered.index("--")] if "--" in ordered else "--json" in ordered
    try:
        code = command().main(args=ordered, prog_name="retinue", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else exits.DONE
    except typer.TyperException as error:
        return _refused(error, as_json=as_json)
    except RetinueError as error:
        code = exits.exit_code_of(error)
        return _say(error.slug, f"{error.asked}: {error.found}", error.hint, code=code, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("Interrupted.", err=True)
        return exits.INTERRUPTED
    except BrokenPipeError:
        return _unread()
    except SystemExit as stop:  # what Typer raises for a broken pipe, in any mode
        if isinstance(stop.__context__, BrokenPipeError):
            return _unread()
        raise
    except Exception as error:
        traceback.print_exc()
        return _say("fault", f"an internal error: {error}", "Please report it", code=exits.FAULT, as_json=as_json)


def _unread() -> int:
    """The reader of stdout is gone: keep the interpreter from flushing what is left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return exits.BROKEN_PIPE


def global_options_first(arguments: Sequence[str]) -> list[str]:
    """Return the command line with `--json`, `--store` and `--workspace` moved before the command."""
    first: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        if argument == "--":
            return [*first, *rest, argument, *waiting]
        name, equals, _ = argument.partition("=")
        if name not in GLOBAL_OPTIONS:
            rest.append(argument)
            continue
        first.append(argument)
        if GLOBAL_OPTIONS[name] and not equals and waiting:
            first.append(waiting.pop(0))
    return [*first, *rest]


def _refused(error: typer.TyperException, *, as_json: bool) -> int:
    """Report wrong usage, with the usage of the command."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.format_message(), err=True)
        return exits.USAGE
    if context is not None:
        typer.echo(context.get_usage(), err=True)
    hint = f"See {context.command_path if context is not None else 'retinue'} --help"
    return _say("usage", error.format_message(), hint, code=exits.USAGE, as_json=as_json)


def _say(slug: str, detail: str, hint: str, *, code: int, as_json: bool) -> int:
    typer.echo(f"Error: {detail.rstrip('.')}.\n{hint.rstrip('.')}.", err=True)
    if as_json:
        problem = {"error": {"type": slug, "detail": detail, "hint": hint, "exit_code": code}}
        typer.echo(json.dumps(problem, ensure_ascii=False))
    return code
