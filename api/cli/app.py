"""The command line: the global options, and the module of each command.

The modules import services inside their commands, so that `--help` does not load them.
"""

from typing import Annotated, Any

import typer

from api.cli import (
    catalog,
    chunk,
    demo,
    discover,
    doctor,
    key,
    learn,
    memory,
    migrate,
    premise,
    reindex,
    retain,
    serve,
    session,
    study,
    transfer,
    trust,
    workspace,
)
from api.cli.invocation import Invocation

app = typer.Typer(
    name="retinue",
    help="A graph-backed knowledge service for data agents: which tables and columns does this task need?",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: importing rich takes a tenth of a second
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _show_version(asked: object) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"retinue {version('retinue')}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="memory://, sqlite:///PATH, neo4j://HOST:7687. [RETINUE_STORE]")
    ] = None,
    workspace: Annotated[
        str | None, typer.Option(metavar="NAME", help="The workspace to work in. [RETINUE_WORKSPACE]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON value on stdout.")] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    context.obj = Invocation(store=store, workspace=workspace, as_json=as_json)


app.add_typer(workspace.app, name="workspace")
app.add_typer(catalog.app, name="catalog")
app.command("discover")(discover.discover)
app.command("learn")(learn.learn)
app.add_typer(memory.app, name="memory")
app.add_typer(trust.app, name="trust")
app.add_typer(session.app, name="session")
app.add_typer(chunk.app, name="chunk")
app.add_typer(premise.app, name="premise")
app.command("retain", cls=retain.PolicyHelp)(retain.retain)
app.add_typer(key.app, name="key")
app.add_typer(study.app, name="study")
app.command("demo")(demo.demo)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)
app.command("migrate")(migrate.migrate)
app.command("reindex")(reindex.reindex)
app.command("export")(transfer.export_file)
app.command("import")(transfer.import_file)


def command() -> Any:
    """The command that the application makes."""
    return typer.main.get_command(app)
