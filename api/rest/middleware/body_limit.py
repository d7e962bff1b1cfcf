"""The body limit: a larger body is refused before anything parses it."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.limits import BODY_BYTES
from api.rest.problems import invalid, problem

NOTHING = (b"", b"{}")  # some clients can only leave a body out by sending an empty object
DIGITS = 18  # a longer content-length is over any limit


class CutOffError(Exception):
    """The client disconnected before its request was complete."""


class BoundedBodies:
    """Read the whole body, up to the limit, before passing the request on; an incomplete one is refused.

    `scope["body"]` has the bytes; `scope["has_body"]` is False for an empty body or an empty object.
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
            # the client is gone; this is for the metrics
            answer = invalid("the connection closed before the request was complete", hint="Send it again")
            await answer(scope, receive, send)
            return
        if body is None:
            answer = problem(
                "too-large",
                status=413,
                title="The body is too large.",
                detail=f"the body has more than {self.limit_bytes} bytes",
                hint="Send it in parts: imports are additive and idempotent",
            )
            answer.headers["Connection"] = "close"  # the rest of the body is not read
            await answer(scope, receive, send)
            return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        await self.app({**scope, "body": body, "has_body": body.strip() not in NOTHING}, replay, send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the whole body, None if larger than the limit. Raises `CutOffError` if the client disconnects."""
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
