"""Paths whose segments are ids: each segment is decoded separately, so that an id may hold a slash.

Servers decode `a%2Fb` before routing, which makes two segments of one; here a route sees the segment whole.
"""

from urllib.parse import unquote_to_bytes

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

from api.rest.problems import invalid


class IdConvertor(Convertor[str]):
    """One path segment that holds an id: `{name:id}` in a route."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return value.replace("%2F", "/").replace("%25", "%")

    def to_string(self, value: str) -> str:
        return value.replace("%", "%25").replace("/", "%2F")


register_url_convertor("id", IdConvertor())


class Segments:
    """Replace the path of the scope by one in which a slash always separates segments."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope.get("raw_path"):
            try:
                path = segmented(scope["raw_path"])
            except ValueError as error:
                answer = invalid(f"the path: {error}", hint="Percent-encode ids as UTF-8, each in one segment")
                await answer(scope, receive, send)
                return
            scope = {**scope, "path": path}
        await self.app(scope, receive, send)


def segmented(raw: bytes) -> str:
    """Return the decoded path; a slash or a percent sign inside a segment stays encoded."""
    return "/".join(_decoded(part) for part in raw.split(b"?", 1)[0].split(b"/"))


def _decoded(part: bytes) -> str:
    try:
        text = unquote_to_bytes(part).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError("a segment is not UTF-8") from error
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in text):
        raise ValueError("a segment holds a control character")
    return text.replace("%", "%25").replace("/", "%2F")
