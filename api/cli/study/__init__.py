"""`retinue study`: measure discovery and retention over tasks and scenarios, one module a command."""

import typer

from api.cli.study.discovery import study_discovery
from api.cli.study.import_tasks import import_tasks
from api.cli.study.logs import study_logs
from api.cli.study.retention import study_retention

app = typer.Typer(help="Studies: measure over tasks what is found.", no_args_is_help=True)
app.command("import-tasks")(import_tasks)
app.command("discovery")(study_discovery)
app.command("retention")(study_retention)
app.command("logs")(study_logs)
