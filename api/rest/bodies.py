"""Bodies are bounded: one that is too large is refused before anything looks at it."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.rest.problems import problem

NOTHING = (b"", b"{}")  # clients that cannot send no JSON send an empty object
LIMIT_BYTES = 16 * 1024 * 1024  # a catalogue of 50,000 described columns is about half of it


class BoundedBodies:
    """Reads a request's body, up to the limit, and hands it on whole; `scope["has_body"]` tells if it says a thing."""

    def __init__(self, app: ASGIApp, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self.app = app
        self.limit_bytes = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = await self._read(scope, receive)
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

        await self.app({**scope, "has_body": body.strip() not in NOTHING}, replay, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, None where it is larger than the limit."""
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared) > self.limit_bytes:
            return None
        body = bytearray()
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self.limit_bytes:
                return None
            if not message.get("more_body", False):  # a client that went away ends it too
                return bytes(body)
