"""ETags and conditional requests (RFC 9110, section 13).

A tag is a digest of the JSON, so that it changes with anything the caller can see. The write that follows is guarded
as well: a memory by its revision, a workspace or an object by the stamp that was read.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from fastapi.responses import JSONResponse, Response

from graph.errors import StaleRevision


def etag_of(body: Mapping[str, object]) -> str:
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'


def tagged(body: Mapping[str, object], *, status: int = 200, if_none_match: str | None = None) -> Response:
    """Return the JSON with its ETag, or 304 if `if_none_match` names that tag."""
    tag = etag_of(body)
    if if_none_match is not None and _names(if_none_match, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return JSONResponse(body, status_code=status, headers={"ETag": tag})


def tagged_reply(answer: Response) -> tuple[Response, dict[str, Any]]:
    """Add the ETag of its JSON to a response. Returns the two."""
    shown: dict[str, Any] = json.loads(bytes(answer.body))
    answer.headers["ETag"] = etag_of(shown)
    return answer, shown


def check_current(body: Mapping[str, object], *, if_match: str | None) -> None:
    """Raise `StaleRevision` if `if_match` names another tag than that of `body`."""
    if if_match is not None and not _names(if_match, etag_of(body)):
        raise StaleRevision(
            f"a change of the version with ETag {if_match}",
            found=f"it has changed since; its ETag is {etag_of(body)} now",
            hint="Read it again, and make the change to the current version",
        )


def is_any(if_match: str | None) -> bool:
    """True if the caller sets no condition."""
    return if_match is None or if_match.strip() == "*"


def _names(header: str, tag: str) -> bool:
    return header.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in header.split(",")]
