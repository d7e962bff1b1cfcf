"""`Idempotency-Key`: a request sent again gets the same reply, and is done once.

Replies are stored in the workspace for a day. A failed request stores none: its key can be used again.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Header, Request
from fastapi.responses import JSONResponse, Response

from api.rest.requests import ServicesOf
from graph.errors import Conflict, InvalidInput
from graph.workspaces import Reply

KEPT = timedelta(days=1)
ABANDONED = timedelta(seconds=30)
"""A request unfinished for so long is taken to have died with its server. If it did act, or still acts, nothing is
counted twice: outcomes carry the id of their request, and imports are idempotent."""

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="Any key: the same request with the same key is done once.",
    ),
]


class Once:
    """Runs the action of a request, once for each idempotency key."""

    def __init__(self, request: Request, services: ServicesOf, idempotency_key: IdempotencyKey = None) -> None:
        self.services = services
        self.key = idempotency_key
        self.path = f"{request.method} {request.url.path}"
        self.content: bytes = request.scope["body"]

    @property
    def request(self) -> str | None:
        """The id that the request's outcomes carry, None without a key."""
        return self.key and hashlib.sha256(f"{self.path}\n{self.key}".encode()).hexdigest()[:24]

    def __call__(self, workspace: str, act: Callable[[], tuple[int, Mapping[str, object]]]) -> Response:
        """Return the reply of `act` (a status and a JSON body), or the stored one of this key."""
        if self.key is None:
            status, answer = act()
            return JSONResponse(answer, status_code=status)
        # of the raw bytes: a body may hold what cannot be encoded again (half a surrogate pair)
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
            hint=f"Send the same request again; one that never ended is run again after {ABANDONED.seconds} s",
        )
    return Response(
        earlier.body,
        status_code=earlier.status,
        media_type="application/json",
        headers={"Idempotency-Replayed": "true"},
    )


OnceOf = Annotated[Once, Depends()]
