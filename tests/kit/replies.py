"""A client of the REST door that holds each reply to the form its route declares: no field less, more, or other."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import TypeAdapter
from starlette.routing import Match

from api.rest.app import ROOMS
from api.rest.middleware.paths import segmented

adapter_of = cache(TypeAdapter)


class CheckedClient(TestClient):
    """A client that fails where a reply is not as described."""

    checked = 0

    def request(self, *arguments: Any, **options: Any) -> Any:
        reply = super().request(*arguments, **options)
        if reply.headers.get("content-type") == "application/json" and reply.request.method != "HEAD":
            form = self._form_of(reply)
            if form is not None:
                adapter = adapter_of(form)
                read = adapter.validate_json(reply.content, strict=True)
                assert adapter.dump_python(read, mode="json") == reply.json(), f"{form.__name__} is not what was sent"
                CheckedClient.checked += 1
        return reply

    def _form_of(self, reply: Any) -> Any:
        request = reply.request
        scope = {"type": "http", "method": request.method, "path": segmented(request.url.raw_path)}
        routes = (route for room in ROOMS for route in room.router.routes)
        found = next((it for it in routes if isinstance(it, APIRoute) and it.matches(scope)[0] is Match.FULL), None)
        return None if found is None else found.responses[reply.status_code]["model"]
