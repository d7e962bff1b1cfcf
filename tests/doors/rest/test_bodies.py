"""Bodies over REST: one that did not come whole is not acted on, and one that is no JSON is told what it should be."""

from __future__ import annotations

import asyncio

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message

from api.rest.app import create_app
from api.wiring import Services

BASE = "/v1/workspaces/default"
BODY = b'{"intent": "loans", "objects": ["loan"]}'


def sent(services: Services, messages: list[Message], *, method: str, path: str, length: bytes) -> int:
    """The status that the application answers with where a server hands it these messages."""
    statuses: list[int] = []
    app = create_app(services, refresh=False)

    async def receive() -> Message:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", length)],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    asyncio.run(app(scope, receive, send))
    [status] = statuses
    return status


def part(body: bytes, *, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def test_what_is_cut_off_is_not_acted_on(stocked: TestClient, services: Services) -> None:
    whole = [part(BODY, more=False)]
    cut = ([part(BODY, more=True)], [part(BODY, more=True), {"type": "http.disconnect"}], [part(BODY, more=False)])
    for messages in cut:
        assert sent(services, messages, method="POST", path=f"{BASE}/memories", length=b"99") == 422
    assert services.workspaces.show("default").memories == 0
    length = str(len(BODY)).encode()
    assert sent(services, whole, method="POST", path=f"{BASE}/memories", length=length) == 201
    assert sent(services, [part(b"", more=True)], method="DELETE", path=BASE, length=b"2") == 422
    assert services.workspaces.show("default").memories == 1


def test_a_length_beyond_all_numbers_is_too_large(services: Services) -> None:
    digits = b"9" * 5_000
    assert sent(services, [part(BODY, more=False)], method="POST", path=f"{BASE}/memories", length=digits) == 413


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "image/png"])
def test_a_body_of_another_type_is_told_which_one_it_should_be(stocked: TestClient, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    reply = stocked.post(f"{BASE}/memories", content=BODY, headers=headers)
    assert reply.status_code == 422
    assert "content-type: application/json" in reply.json()["hint"]
    assert stocked.get(BASE).json()["memories"] == 0
