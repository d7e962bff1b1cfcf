"""Pages of a listing, and the opaque cursors between them, each bound to the listing it came from.

A cursor holds the last id shown, so that concurrent writes make no page skip or repeat anything.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from graph.errors import InvalidInput

T = TypeVar("T")
Listing = tuple[object, ...]
"""What is listed, from which workspace, with which filters."""


def read_page(
    fetch: Callable[..., Sequence[T]], *, listing: Listing, cursor: str | None, limit: int, by: str = "id"
) -> tuple[list[T], str | None]:
    """Return at most `limit` items after `cursor`, and the cursor of the next page, None on the last one.

    `fetch` takes `after` and `limit`; `by` is the attribute that it orders by, the id or the position.
    Raises `InvalidInput` where the cursor is of another listing.
    """
    after = read_position(cursor, listing=listing) if by == "position" else read_cursor(cursor, listing=listing)
    found = list(fetch(after=after, limit=limit + 1))
    if len(found) <= limit:
        return found, None
    of: Callable[[Any], object] = attrgetter(by)
    return found[:limit], make_cursor(str(of(found[limit - 1])), listing=listing)


def make_cursor(after: str, *, listing: Listing) -> str:
    text = json.dumps([_mark(listing), after], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str | None, *, listing: Listing) -> str | None:
    """Return the id to go on after, None for no cursor. Raises `InvalidInput` where it is of another listing."""
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


def read_position(cursor: str | None, *, listing: Listing) -> int:
    """Return the position to go on after, -1 for no cursor."""
    after = read_cursor(cursor, listing=listing)
    if after is None:
        return -1
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise _refused(found="not a cursor that was given out here")
    return int(after)


def _mark(listing: Listing) -> str:
    return hashlib.sha256(repr(listing).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _refused(*, found: str) -> InvalidInput:
    return InvalidInput("the cursor", found=found, hint="Start over without a cursor, or keep the filters as they were")
