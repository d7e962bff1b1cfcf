"""Checks of text from outside: whole Unicode, without control characters, of bounded length.

They return what is wrong, in words; the caller raises the error.
"""

import re

_UNKEPT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNKEPT_BESIDE_LAYOUT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def fault_in(text: object, *, limit: int, layout: bool = False) -> str | None:
    """Return why a text cannot be stored, None if it can. `layout` allows tabs, line ends and C1 characters, which
    texts converted from Windows-1252 are full of."""
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
    """True if the text holds a visible character."""
    return any(character.isprintable() and not character.isspace() for character in text)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", bool: "a truth value", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "something else")
