"""Make ids from the dotted names of SQL, and split them again.

A part with a dot, a quote or a blank at an end is quoted, so that two names never have one id.
"""

import re
from collections.abc import Sequence

_PART = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
_NAME = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern}))*")


def make_id(parts: Sequence[str]) -> str:
    """`("main", "my.table")` -> `main."my.table"`."""
    return ".".join(_quote(part) for part in parts)


def split_id(text: str) -> tuple[str, ...]:
    """Split a dotted name, without quotes; a text that is no such name is one part."""
    if not _NAME.fullmatch(text):
        return (text,)
    return tuple(quoted.replace('""', '"') or plain for quoted, plain in _PART.findall(text))


def _quote(part: str) -> str:
    plain = part and "." not in part and '"' not in part and part == part.strip()
    return part if plain else '"' + part.replace('"', '""') + '"'
