"""Access control: API keys, the workspaces they open, and the host names accepted without keys.

It runs before every route; a key that may only read is refused on any route not known to read.
"""

import ipaddress
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from api.keys import Key, Keys
from api.rest.problems import problem_of
from graph.errors import NotAllowed, RetinueError, Unauthenticated

OPEN = frozenset({"/healthz", "/readyz", "/metrics", "/docs", "/openapi.json"})
READING_POSTS = (["discover"],)  # the path after the workspace


class Access:
    """Pass on requests whose key allows them; `scope["key"]` is the key, None on a server without keys."""

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
            # against DNS rebinding: a web page that points its own host name at this machine gets nothing
            raise NotAllowed(
                f"host {headers.get(b'host', '')!r}",
                found="without API keys only local connections are accepted",
                hint="Use 127.0.0.1 or localhost, or start the server with RETINUE_API_KEYS_FILE",
            )
        if self.keys is None or scope["path"] in OPEN:
            return None
        key = self.keys.find(_secret(headers))
        if key is None:
            raise Unauthenticated(
                "this request", found="no known API key came with it", hint="Send X-API-Key or Authorization: Bearer"
            )
        _authorise(key, method=scope["method"], parts=scope["path"].split("/")[1:])
        return key


def _secret(headers: dict[bytes, str]) -> str:
    scheme, _, token = headers.get(b"authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    return headers.get(b"x-api-key", "") or bearer


def _authorise(key: Key, *, method: str, parts: list[str]) -> None:
    """Raise `NotAllowed` unless `key` may do this; `parts` of the path: v1, workspaces, the workspace, the rest."""
    if len(parts) > 2 and not key.opens(parts[2]):
        raise NotAllowed(
            f"workspace {parts[2]!r}",
            found=f"the key {key.name!r} does not open it",
            hint="Have the workspace added to this key in the keys file of the server",
        )
    reads = method in ("GET", "HEAD", "OPTIONS") or (method == "POST" and _only_asks(parts[3:]))
    if key.role == "read" and not reads:
        raise NotAllowed(
            f"{method} /{'/'.join(parts)}",
            found=f"the key {key.name!r} may read only",
            hint="Use a key with the role write",
        )


def _only_asks(parts: list[str]) -> bool:
    """True for a POST that changes nothing, or whose route checks the role itself (`retain` with `apply`)."""
    return parts in READING_POSTS or (len(parts) == 3 and parts[0] == "sessions" and parts[2] == "retain")


def is_loopback(host: str) -> bool:
    """True if the host, with or without a port, is a loopback address or name."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:  # an unmatched bracket, or a name instead of an address
        return False
