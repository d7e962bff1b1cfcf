"""The values that a step mentions: ids, hashes, paths, numbers and words, each under its key.

How specific a value is belongs here; which step it came from is in `provenance`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from services.transcripts.steps import MOST_DEEP, Json, Piece, texts_in
from services.words import spaced, tokens

Sort = Literal["strong", "weak", "number", "word"]
"""How specific a value is: an id too long to match by chance; a shorter one; a number; a word."""

LONGEST = 300
SHORTEST = 4  # letters of a phrase; of two in scripts that have no blanks
_VALUES = re.compile(r"[^\s\"'`<>|;,(){}\[\]=&?!*，。、；：？！（）「」『』《》【】“”‘’]+")
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
    """A value, folded for comparison. `key`: what it is called there, "" if that is too general; a key with `~` is
    the word before the value."""

    text: str
    key: str
    sort: Sort


def values_of(piece: Piece) -> list[Value]:
    """Return the values of a piece in reading order, each once."""
    held = piece.value if piece.kind != "said" and piece.value is not None else piece.text
    return list(dict.fromkeys(_walk(held, key="", depth=0)))


def phrases_of(piece: Piece) -> tuple[str, ...]:
    """Return the text arguments of a call, `spaced`, each once, without those too short to be specific."""
    return tuple(dict.fromkeys(phrase for _, text in texts_in(piece.value) if (phrase := _phrase(text))))


def says(text: str, phrase: str) -> bool:
    """True if a `spaced` text contains a phrase of `phrases_of`; without blanks around it in scripts that have none."""
    return (phrase if phrase.isascii() else phrase.strip()) in text


def cut_end(piece: Piece) -> str | None:
    """Return the beginning of the value at which an output was truncated, None if it was not."""
    found = _CUT.search(piece.text[-200:]) if piece.kind == "result" else None
    return fold(found["start"]) if found else None


def same_key(left: str, right: str) -> bool:
    """True if two keys are equal, with or without `~`."""
    left, right = left.removeprefix("~"), right.removeprefix("~")
    return bool(left) and left == right


def agree(left: str, right: str) -> bool:
    """True if two keys may mean the same; a word before a value (`~`) agrees with any."""
    return (
        not left or not right or left.startswith("~") or right.startswith("~")
        or left.endswith(right) or right.endswith(left)
    )  # fmt: skip


def is_hash(text: str) -> bool:
    return _HEX.fullmatch(text) is not None and not text.isdigit() and any(c.isdigit() for c in text)


def is_long(text: str) -> bool:
    """True for a number with too many digits to match by chance."""
    return sum(character.isdigit() for character in text) >= 5


def fold(text: str) -> str:
    return text.casefold().strip(_EDGES)


def _phrase(text: str) -> str:
    phrase = spaced(text) if len(text) <= LONGEST else ""
    letters = sum(character.isalpha() for character in phrase)
    return phrase if letters >= (SHORTEST if phrase.isascii() else 2) else ""


def _walk(value: Json, *, key: str, depth: int) -> Iterator[Value]:
    if isinstance(value, Mapping):
        for name, inner in value.items() if depth < MOST_DEEP else ():
            own = plain_key(name)
            yield from _walk(inner, key=own or key, depth=depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value if depth < MOST_DEEP else ():
            yield from _walk(inner, key=key, depth=depth + 1)
    elif isinstance(value, str):
        yield from _in_text(value, key=key)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _one(str(value), key=key)


@lru_cache(maxsize=4_096)
def plain_key(name: str) -> str:
    """Normalise a key: `order_id`, `orderIds` and `Order` become `order`; general ones such as `id` become ""."""
    words = [word for word in re.split(r"[\W_]+", _CAMEL.sub("_", name).lower()) if word]
    while words and words[-1] in _GENERAL:
        words.pop()
    if not words:
        return ""
    last = words[-1]
    return last[:-1] if len(last) > 3 and last.endswith("s") and not last.endswith("ss") else last


def _in_text(text: str, *, key: str) -> Iterator[Value]:
    if len(text) <= LONGEST and not any(character.isspace() for character in text.strip()):
        yield from _with_parts(text.strip(), key=key)
        return
    text = _THOUSANDS.sub("", text)
    for found in _VALUES.finditer(text):
        token = found[0].strip(_EDGES)
        if not token:
            continue
        before = _KEY.search(text[max(found.start() - 30, 0) : found.start()])
        own = "~" + plain_key(before[1]) if before and sort_of(fold(token)) != "word" else ""
        yield from _with_parts(token, key=own)


def _with_parts(text: str, *, key: str) -> Iterator[Value]:
    """A value, then the parts of a path or address, without a key."""
    yield from _one(text, key=key)
    parts = [part for part in _PARTS.split(text) if part]
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
    """Classify a folded value by its characters."""
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
