"""Opaque cursors: where a listing goes on, bound to the listing it came from.

They hold the last id that was shown, so that what is written meanwhile makes no page skip or repeat anything.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json

from graph.errors import InvalidInput


def make_cursor(after: str, *, listing: tuple[object, ...]) -> str:
    text = json.dumps([_mark(listing), after], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str | None, *, listing: tuple[object, ...]) -> str | None:
    """The id to go on after; None for no cursor. Raises `InvalidInput` where it is of another listing."""
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        mark, after = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _refused(found="not a cursor that was given out here") from error
    if mark != _mark(listing) or not isinstance(after, str):
        raise _refused(found="it belongs to a listing with other filters or of another workspace")
    return after


def read_position(cursor: str | None, *, listing: tuple[object, ...]) -> int:
    """The same for what is listed by position: the one to go on after, -1 for no cursor."""
    after = read_cursor(cursor, listing=listing)
    if after is None:
        return -1
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise _refused(found="not a cursor that was given out here")
    return int(after)


def _mark(listing: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(listing).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _refused(*, found: str) -> InvalidInput:
    return InvalidInput("the cursor", found=found, hint="Start over without a cursor, or keep the filters as they were")
