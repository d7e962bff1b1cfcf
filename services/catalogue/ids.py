"""Make ids from the dotted names of SQL, and split them again.

A part with a dot, a quote or a blank at an end is quoted, so that two names never have one id.
"""

from collections.abc import Sequence


def make_id(parts: Sequence[str]) -> str:
    """`("main", "my.table")` -> `main."my.table"`."""
    return ".".join(_quote(part) for part in parts)


def split_id(text: str) -> tuple[str, ...]:
    """Split a dotted name, without quotes; a text that is no such name is one part."""
    if '"' not in text:
        parts = text.split(".")
        return tuple(parts) if all(parts) else (text,)
    parts, rest = [], text
    while True:
        part, rest = _quoted(rest) if rest.startswith('"') else _plain(rest)
        if not part or (rest and not rest.startswith(".")):
            return (text,)
        parts.append(part)
        if not rest:
            return tuple(parts)
        rest = rest[1:]


def _quote(part: str) -> str:
    plain = part and "." not in part and '"' not in part and part == part.strip()
    return part if plain else '"' + part.replace('"', '""') + '"'


def _plain(text: str) -> tuple[str, str]:
    part, dot, rest = text.partition(".")
    return ("" if '"' in part else part), dot + rest


def _quoted(text: str) -> tuple[str, str]:
    part, position = [], 1
    while (end := text.find('"', position)) >= 0:
        part.append(text[position:end])
        if text[end + 1 : end + 2] != '"':
            return "".join(part), text[end + 1 :]
        part.append('"')
        position = end + 2
    return "", text
