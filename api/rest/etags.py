"""ETags: what a caller has seen, and whether it still stands (RFC 9110, section 13).

A tag is made of the representation itself, so that it changes with whatever the caller can see. What is then changed
is what was looked at: a memory at its revision, a workspace or an object at the stamp of the look.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from fastapi.responses import JSONResponse, Response

from graph.errors import StaleRevision


def etag_of(body: Mapping[str, object]) -> str:
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'


def tagged(body: Mapping[str, object], *, status: int = 200, if_none_match: str | None = None) -> Response:
    """The representation with its ETag, or 304 where the caller has it already."""
    tag = etag_of(body)
    if if_none_match is not None and _names(if_none_match, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return JSONResponse(body, status_code=status, headers={"ETag": tag})


def check_current(body: Mapping[str, object], *, if_match: str | None) -> None:
    """Raises `StaleRevision` where the caller saw another representation than this one."""
    if if_match is not None and not _names(if_match, etag_of(body)):
        raise StaleRevision(
            f"a change to what had the ETag {if_match}",
            found=f"it has changed since; its ETag is {etag_of(body)} now",
            hint="Read it again, and repeat the change on what it is now",
        )


def is_any(if_match: str | None) -> bool:
    """Whether the caller takes it as it is, whatever it is now."""
    return if_match is None or if_match.strip() == "*"


def _names(header: str, tag: str) -> bool:
    return header.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in header.split(",")]
