"""`Idempotency-Key`: a request that is sent again is answered again, and done once.

Replies are kept in the workspace for a day. One that failed is not kept: its key is free for another try.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Header, Request
from fastapi.responses import JSONResponse, Response

from api.rest.requests import ServicesOf
from api.wiring import Services
from graph.errors import Conflict, InvalidInput
from graph.workspaces import Reply

KEPT = timedelta(days=1)
ABANDONED = timedelta(seconds=30)
"""A request under way so long is taken to have died with its server. Should it have acted, or act yet, nothing is
counted twice: outcomes carry the request that brought them, and objects are what they are."""


class Once:
    """Does what a request asks for, once for each idempotency key."""

    def __init__(self, services: Services, *, key: str | None, path: str, content: bytes) -> None:
        self.services = services
        self.key = key
        self.path = path
        self.content = content

    @property
    def request(self) -> str | None:
        """What names the request in the outcomes that it brings."""
        return self.key and hashlib.sha256(f"{self.path}\n{self.key}".encode()).hexdigest()[:24]

    def __call__(self, workspace: str, act: Callable[[], tuple[int, Mapping[str, object]]]) -> Response:
        """The reply of `act` (a status and a JSON body), or the one that was given to this key before."""
        if self.key is None:
            status, answer = act()
            return JSONResponse(answer, status_code=status)
        # of the bytes as they came: what a body holds may have no JSON of its own (half a surrogate pair)
        digest = hashlib.sha256(self.path.encode() + b"\n" + self.content).hexdigest()
        claim = Reply(key=self.key, request=digest, status=0, body="", at=self.services.clock())
        earlier = self._claim(workspace, claim)
        if earlier is not None:
            return _replay(earlier, digest)
        try:
            status, answer = act()
        except BaseException:
            self.services.store.drop_reply(workspace, self.key)
            raise
        response = JSONResponse(answer, status_code=status)
        final = replace(claim, status=status, body=bytes(response.body).decode())
        self.services.store.save_reply(workspace, final)
        return response

    def _claim(self, workspace: str, claim: Reply) -> Reply | None:
        store = self.services.store
        earlier = store.claim_reply(workspace, claim, keep_since=claim.at - KEPT)
        if earlier is not None and earlier.status == 0 and earlier.at < claim.at - ABANDONED:
            store.drop_reply(workspace, claim.key)
            earlier = store.claim_reply(workspace, claim, keep_since=claim.at - KEPT)
        return earlier


def _replay(earlier: Reply, digest: str) -> Response:
    if earlier.request != digest:
        raise InvalidInput(
            f"idempotency key {earlier.key!r}",
            found="it was used for another request",
            hint="Make a new key for each request; send a key again only with the same request",
        )
    if earlier.status == 0:
        raise Conflict(
            f"idempotency key {earlier.key!r}",
            found="the first request with it is still under way",
            hint=f"Send the same request again; one whose server died is taken up after {ABANDONED.seconds} seconds",
        )
    return Response(
        earlier.body,
        status_code=earlier.status,
        media_type="application/json",
        headers={"Idempotency-Replayed": "true"},
    )


def _once(
    request: Request,
    services: ServicesOf,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=200,
            pattern=r"^[!-~]+$",
            description="A key of the caller's making: the same request with it is done once.",
        ),
    ] = None,
) -> Once:
    path = f"{request.method} {request.url.path}"
    return Once(services, key=idempotency_key, path=path, content=request.scope["body"])


OnceOf = Annotated[Once, Depends(_once)]
