"""Run the REST server: bind its address, report it, serve, and shut down in order."""

import signal
import socket
from collections.abc import Callable

import uvicorn

from api.keys import read_keys
from api.rest.app import create_app
from api.rest.middleware.access import is_loopback
from api.settings import Settings
from api.wiring import open_services
from graph.errors import InvalidSettings, NotAllowed

GRACE_SECONDS = 10


def serve(settings: Settings, *, say: Callable[[str, str], None]) -> None:
    """Serve until SIGINT or SIGTERM, then finish open requests. `say` gets the address and the store's URL."""
    keys = read_keys(settings.api_keys_file) if settings.api_keys_file else None
    if keys is None and not is_loopback(f"[{settings.host}]" if ":" in settings.host else settings.host):
        raise NotAllowed(
            f"serving on {settings.host}",
            found="no API keys are set, and other machines can reach this address",
            hint="Set RETINUE_API_KEYS_FILE (see `retinue key new`), or listen on 127.0.0.1",
        )
    with _bound(settings.host, settings.port) as listener, open_services(settings) as services:
        app = create_app(services, keys, loopback_only=keys is None)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=GRACE_SECONDS
        )
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        say(f"http://{host}:{listener.getsockname()[1]}", services.store.url)
        for stop in (signal.SIGINT, signal.SIGTERM):
            # uvicorn shuts down, then raises the signal again; the store must still be closed after that
            signal.signal(stop, lambda _number, _frame: None)
        uvicorn.Server(config).run(sockets=[listener])


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, ValueError) as error:  # ValueError: a name that is too long or not encodable
        raise _unusable(host, port, error) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2_048)
    except OSError as error:
        listener.close()
        raise _unusable(host, port, error) from error
    return listener


def _unusable(host: str, port: int, error: OSError | ValueError) -> InvalidSettings:
    return InvalidSettings(
        f"listening on {host}:{port}",
        found=getattr(error, "strerror", None) or str(error),
        hint="Choose another --port (0 takes any free one) or --host",
    )
