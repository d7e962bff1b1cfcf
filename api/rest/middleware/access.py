"""Who may come in: API keys, the workspaces they open, and the host names that a server without keys answers to.

It stands before every route, and a route that nobody thought of is closed to readers.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from api.rest.problems import problem_of
from graph.errors import NotAllowed, RetinueError, Unauthenticated

if TYPE_CHECKING:
    from api.keys import Key, Keys

OPEN = frozenset({"/healthz", "/readyz", "/metrics", "/docs", "/openapi.json"})
READING_POSTS = (["discover"],)  # what follows the workspace in the path


class Access:
    """Lets a request through whose key opens what it asks for; `scope["key"]` is that key, None without keys."""

    def __init__(self, app: ASGIApp, *, keys: Keys | None, loopback_only: bool = False) -> None:
        self.app = app
        self.keys = keys
        self.loopback_only = loopback_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            key = self._admit(scope)
        except RetinueError as error:
            await problem_of(error)(scope, receive, send)
            return
        await self.app({**scope, "key": key, "reads_only": key is not None and key.role == "read"}, receive, send)

    def _admit(self, scope: Scope) -> Key | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if self.loopback_only and not is_loopback(headers.get(b"host", "")):
            # a page in a browser that points a name of its own at this machine gets nothing (DNS rebinding)
            raise NotAllowed(
                f"host {headers.get(b'host', '')!r}",
                found="a server without API keys answers to this machine alone",
                hint="Ask it as 127.0.0.1 or localhost, or start it with RETINUE_API_KEYS_FILE",
            )
        if self.keys is None or scope["path"] in OPEN:
            return None
        key = self.keys.find(_secret(headers))
        if key is None:
            raise Unauthenticated(
                "this request",
                found="it shows no key that is known here",
                hint="Send X-API-Key or Authorization: Bearer",
            )
        _authorise(key, method=scope["method"], parts=scope["path"].split("/")[1:])
        return key


def _secret(headers: dict[bytes, str]) -> str:
    scheme, _, token = headers.get(b"authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    return headers.get(b"x-api-key", "") or bearer


def _authorise(key: Key, *, method: str, parts: list[str]) -> None:
    """`parts` are the path's: v1, workspaces, the workspace, and what is asked of it."""
    if len(parts) > 2 and not key.opens(parts[2]):
        raise NotAllowed(
            f"workspace {parts[2]!r}",
            found=f"the key {key.name!r} does not open it",
            hint="Ask whoever keeps the keys file to add the workspace to this key",
        )
    reads = method in ("GET", "HEAD", "OPTIONS") or (method == "POST" and _only_asks(parts[3:]))
    if key.role == "read" and not reads:
        raise NotAllowed(
            f"{method} /{'/'.join(parts)}",
            found=f"the key {key.name!r} may read only",
            hint="Use a key with the role write",
        )


def _only_asks(parts: list[str]) -> bool:
    """A POST that changes nothing, or that looks at the key itself where it may (`retain` with `apply`)."""
    return parts in READING_POSTS or (len(parts) == 3 and parts[0] == "sessions" and parts[2] == "retain")


def is_loopback(host: str) -> bool:
    """Whether a host, with or without a port, is this machine as seen from itself."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:  # half a bracket is no host, and a name is no address
        return False
