"""Bodies are bounded: one that is too large is refused before anything looks at it."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.limits import BODY_BYTES
from api.rest.problems import problem

NOTHING = (b"", b"{}")  # clients that cannot send no JSON send an empty object
DIGITS = 18  # of a length that is worth reading


class CutOffError(Exception):
    """The client went away in the middle of its request."""


class BoundedBodies:
    """Reads a request's body, up to the limit, and hands it on whole; `scope["has_body"]` tells if it says a thing.

    `scope["body"]` has its bytes. One that is cut off is not handed on: half a request is none.
    """

    def __init__(self, app: ASGIApp, *, limit_bytes: int = BODY_BYTES) -> None:
        self.app = app
        self.limit_bytes = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
        except CutOffError:
            # nobody is there to read it; it is for the measures
            answer = problem(
                "invalid-input",
                status=422,
                title="The input cannot be used as it is.",
                detail="the connection closed before the request was here as a whole",
                hint="Send it again",
            )
            await answer(scope, receive, send)
            return
        if body is None:
            answer = problem(
                "too-large",
                status=413,
                title="The body is too large.",
                detail=f"the body has more than {self.limit_bytes} bytes",
                hint="Send it in parts: imports add up, and the same object twice changes nothing",
            )
            answer.headers["Connection"] = "close"  # the rest of the body is not read
            await answer(scope, receive, send)
            return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        await self.app({**scope, "body": body, "has_body": body.strip() not in NOTHING}, replay, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, None where it is larger than the limit. Raises `CutOffError` where the rest never comes."""
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and (len(declared) > DIGITS or int(declared) > self.limit_bytes):
            return None
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise CutOffError
            body += message.get("body", b"")
            if len(body) > self.limit_bytes:
                return None
            if not message.get("more_body", False):
                if declared.isdigit() and len(body) < int(declared):
                    raise CutOffError
                return bytes(body)
