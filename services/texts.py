"""What text from outside must be before it is kept: whole Unicode, without control characters, of bounded length.

Only said here is what is wrong; who asked, and which error that makes, is the caller's.
"""

from __future__ import annotations

import re

_UNKEPT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNKEPT_BESIDE_LAYOUT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def fault_in(text: object, *, limit: int, layout: bool = False) -> str | None:
    """Why a text cannot be kept, None where it can; `layout` is for prose: it allows tabs and line ends, and the
    C1 characters that texts once in Windows-1252 are full of."""
    if not isinstance(text, str):
        return f"it is {_kind(text)}, not text"
    if len(text) > limit:
        return f"it has {len(text):,} characters, more than {limit:,}"
    found = (_UNKEPT_BESIDE_LAYOUT if layout else _UNKEPT).search(text)
    if found is None:
        return None
    kind = "half a surrogate pair" if found[0] >= "\ud800" else f"control character U+{ord(found[0]):04X}"
    return f"{kind} at character {found.start() + 1}"


def says_something(text: str) -> bool:
    """Whether there is anything to read in it: blanks and invisible characters alone say nothing."""
    return any(character.isprintable() and not character.isspace() for character in text)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", bool: "a truth value", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "something else")
