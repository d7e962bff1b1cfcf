"""Options that several commands share."""

from typing import Annotated

import typer

from api.limits import PAGE

Limit = Annotated[int, typer.Option(min=1, max=PAGE, help="How many at most.")]
Cursor = Annotated[str | None, typer.Option(help="Continue after the page that ended with this cursor.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
Counter = Annotated[str, typer.Option(help="How tokens are counted: words, or bytes (a token for every four).")]
InSession = Annotated[str, typer.Option("--session", metavar="ID", help="The session.")]
