"""HEAD requests: answered as GET, without the body (RFC 9110, section 9.3.2); routes only declare GET."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Heads:
    """Turn HEAD into GET, and drop the body of the response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, send_head)
