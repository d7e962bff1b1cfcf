"""The values that a step names: ids, hashes, paths, numbers and words, each under the key it stands by.

How telling a value is belongs here; where it came from is asked in `origins`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from services.transcripts.steps import Json, Piece
from services.words import spaced, tokens

Sort = Literal["strong", "weak", "number", "word"]
"""How a value tells: an id that nobody hits on by chance; a short one; a number; a word."""

LONGEST = 300
SHORTEST = 4  # letters of a phrase; of two in scripts that have no blanks
_WORDS = re.compile(r"[^\s\"'`<>|;,(){}\[\]=&?!*，。、；：？！（）「」『』《》【】“”‘’]+")
_PARTS = re.compile(r"[/\\:#?&=@]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_UNNUMBERED = re.compile(r"[^\d.,:/+$€£%-]")
_EDGES = ".,:;!?…-"
_HEX = re.compile(r"[0-9a-f]{7,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KEY = re.compile(r"([^\W\d_][\w-]*)[\s:#=\"']*$")
_GENERAL = frozenset(("", "id", "ids", "key", "name", "value", "uuid", "ref", "number", "no", "code", "result", "data"))
_CUT = re.compile(r"(?P<start>[\w./-]*)(?:…|\.\.\.|\s*[\[<(](?:output )?(?:truncated|cut|snip)[^\n]*)+\s*$", re.I)


@dataclass(frozen=True, slots=True)
class Value:
    """A value in its form for comparing. `key` is what it is called there, "" where that says nothing."""

    text: str
    key: str
    sort: Sort


def values_of(piece: Piece) -> list[Value]:
    """In reading order, each once."""
    held = piece.value if piece.kind != "said" and piece.value is not None else piece.text
    return list(dict.fromkeys(_walk(held, key="", depth=0)))


def phrases_of(piece: Piece) -> tuple[str, ...]:
    """The texts that a call is given, as `spaced` gives them, each once; what is too short to tell is left out."""
    return tuple(dict.fromkeys(phrase for text in _texts(piece.value, depth=0) if (phrase := _phrase(text))))


def says(text: str, phrase: str) -> bool:
    """Whether a text, as `spaced` gives it, says a phrase of `phrases_of`. Scripts without blanks are asked within."""
    return (phrase if phrase.isascii() else phrase.strip()) in text


def cut_end(piece: Piece) -> str | None:
    """The beginning of the value at which an output was cut short, None where none was."""
    found = _CUT.search(piece.text[-200:]) if piece.kind == "result" else None
    return fold(found["start"]) if found else None


def same_key(left: str, right: str) -> bool:
    """Whether two keys say the same, be it in a word before the value."""
    left, right = left.removeprefix("~"), right.removeprefix("~")
    return bool(left) and left == right


def agree(left: str, right: str) -> bool:
    """Whether two keys may mean the same thing. A word before a value (`~`) is no key to go by."""
    return (
        not left or not right or left.startswith("~") or right.startswith("~")
        or left.endswith(right) or right.endswith(left)
    )  # fmt: skip


def is_hash(text: str) -> bool:
    return _HEX.fullmatch(text) is not None and not text.isdigit() and any(c.isdigit() for c in text)


def is_long(text: str) -> bool:
    """Whether a number has so many digits that nobody hits on it by chance."""
    return sum(character.isdigit() for character in text) >= 5


def fold(text: str) -> str:
    return text.casefold().strip(_EDGES)


def _texts(value: Json, *, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 50 and isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner, depth=depth + 1)
    elif depth < 50 and isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, depth=depth + 1)


def _phrase(text: str) -> str:
    phrase = spaced(text) if len(text) <= LONGEST else ""
    letters = sum(character.isalpha() for character in phrase)
    return phrase if letters >= (SHORTEST if phrase.isascii() else 2) else ""


def _walk(value: Json, *, key: str, depth: int) -> Iterator[Value]:
    if isinstance(value, Mapping):
        for name, inner in value.items() if depth < 50 else ():
            own = plain_key(name)
            yield from _walk(inner, key=own or key, depth=depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value if depth < 50 else ():
            yield from _walk(inner, key=key, depth=depth + 1)
    elif isinstance(value, str):
        yield from _in_text(value, key=key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _one(str(value), key=key)


@lru_cache(maxsize=4_096)
def plain_key(name: str) -> str:
    """`order_id`, `orderIds` and `Order` are one key; `id` and `name` say nothing."""
    words = [word for word in re.split(r"[\W_]+", _CAMEL.sub("_", name).lower()) if word]
    while words and words[-1] in _GENERAL:
        words.pop()
    if not words:
        return ""
    last = words[-1]
    return last[:-1] if len(last) > 3 and last.endswith("s") and not last.endswith("ss") else last


def _in_text(text: str, *, key: str) -> Iterator[Value]:
    if len(text) <= LONGEST and not any(character.isspace() for character in text.strip()):
        yield from _one(text.strip(), key=key)
        parts = [part for part in _PARTS.split(text.strip()) if part]
        if len(parts) > 1:
            for part in parts:
                yield from _one(part, key="")
        return
    text = _THOUSANDS.sub("", text)
    for found in _WORDS.finditer(text):
        token = found[0].strip(_EDGES)
        if not token:
            continue
        before = _KEY.search(text[max(found.start() - 30, 0) : found.start()])
        own = "~" + plain_key(before[1]) if before and sort_of(fold(token)) != "word" else ""
        yield from _one(token, key=own)
        parts = [part for part in _PARTS.split(token) if part]
        if len(parts) > 1:
            for part in parts:
                yield from _one(part, key="")


def _one(text: str, *, key: str) -> Iterator[Value]:
    folded = fold(text)
    if not folded or len(folded) > LONGEST:
        return
    if folded.isascii():
        if (sort := sort_of(folded)) == "word" and (len(folded) < 4 or not folded.isalpha()):
            return
        yield Value(folded, key, sort)
    else:
        for token in tokens(folded):
            yield Value(token, key, sort_of(token))


@lru_cache(maxsize=65_536)
def sort_of(text: str) -> Sort:
    """By the look of a folded value."""
    digits = sum(character.isdigit() for character in text)
    if digits and not _UNNUMBERED.search(text):  # also dates, telephone and book numbers
        return "strong" if digits >= 9 else "number"
    letters = sum(character.isalpha() for character in text)
    if "@" in text[1:-1] or (text.count("/") >= 2 and len(text) >= 8):
        return "strong"
    if digits and letters:
        return "strong" if len(text) >= 6 and digits >= 2 else "weak"
    if letters and ("_" in text or "/" in text or ("." in text[1:-1] and len(text) >= 6)):
        return "weak"
    return "word"
