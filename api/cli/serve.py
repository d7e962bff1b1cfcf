"""`retinue serve`: run the REST server in the foreground until SIGINT or SIGTERM."""

from typing import Annotated

import typer

from api.cli.invocation import invocation_of
from api.cli.printing import emit, note


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="The address to listen on. [RETINUE_HOST, 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 takes any free one. [RETINUE_PORT, 8765]")] = None,
    api_keys_file: Annotated[
        str | None, typer.Option(help="The file of accepted API keys. [RETINUE_API_KEYS_FILE]")
    ] = None,
) -> None:
    """Serve the REST API. Without API keys it accepts local connections only."""
    settings = invocation_of(context).settings(host=host, port=port, api_keys_file=api_keys_file)
    from api.rest.serving import serve as serve_rest

    def say(address: str, store: str) -> None:
        note(f"Retinue serves {store} at {address} (docs at /docs)")
        if invocation_of(context).as_json:
            emit(context, {"address": address, "store": store}, tuple)

    serve_rest(settings, say=say)
