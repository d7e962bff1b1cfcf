"""The tokenisers: words and grams of `pieces` for search, `tokens` (whole) for sessions, `spaced` for phrases.

They handle Unicode, identifiers and English plurals. Indexes and weights are elsewhere.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from graph.catalogue import DataObject

# Scripts that are written without blanks, and Hangul, whose particles cling to their nouns: characters and pairs
# find `账户` in `客户账户表` where a word would not.
UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographic iteration mark and zero
    (0x3040, 0x30FF),  # kana
    (0x3100, 0x312F),  # bopomofo
    (0x31F0, 0x31FF),  # kana, small
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),  # Han
    (0xA960, 0xA97F),  # Hangul letters
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han, compatibility
    (0x20000, 0x3FFFF),  # Han, the supplementary planes
)

TOKEN = re.compile(r"[a-zA-Z0-9_]+")  # the token of the published artifact
_UNSPACED = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED)
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_WORD = re.compile(r"\w+")

# Over a string of kinds (see `_Kinds`): an acronym before a capitalised word, a word, a number, an unspaced run.
PIECES = re.compile(r"U+(?!l)|U?l+|d+|c+")
ASCII_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# Stop words: a query of nothing else is not searched for.
_FUNCTION_WORDS = """
    a about all an and any are as at be been but by can could did do does for from had has have he her his how i if
    in into is it its me my no not of on or our out she so some than that the their them then there these they this
    those to us was we were what when where which who whom whose why will with would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


def fold(text: str) -> str:
    """Remove compatibility forms, accents and case; `Café`, composed or not, becomes `cafe`."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", _plain(text).casefold())


def tokens(text: str) -> list[str]:
    """Return the lower-case runs of letters, digits and `_`, identifiers whole; in scripts without blanks, single
    characters and pairs. A text without any is split into its characters, so only a blank text gives none."""
    lowered = text.lower()
    if lowered.isascii():
        found = TOKEN.findall(lowered)
    else:
        found = [token for run in _RUNS.findall(lowered) for token in _whole(run)]
    return found or [character for character in lowered if not character.isspace()]


def spaced(text: str) -> str:
    """Return the words of a text between single blanks, so that a phrase is found as whole words."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def asks_something(text: str) -> bool:
    """True if the text holds a word or number that is no stop word."""
    return any(piece not in FUNCTION_WORDS for piece in pieces(text))


def full_text(item: DataObject, table_name: str | None = None) -> str:
    """Return the text of an object for search and encoders: table, name, description."""
    return " ".join(part for part in (table_name, item.name, item.description) if part)


def pieces(text: str) -> list[str]:
    """Split a text into folded words, numbers and runs of a script without blanks; identifiers at `_`, digits and
    camelCase."""
    if text.isascii():
        return [piece.lower() for piece in ASCII_PIECES.findall(text)]
    plain = _plain(text)
    kinds = plain.translate(_KINDS)
    return [fold(plain[match.start() : match.end()]) for match in PIECES.finditer(kinds)]


@lru_cache(maxsize=65_536)
def piece_words(piece: str) -> tuple[str, ...]:
    """Return the word without its plural ending; in scripts without blanks, single characters and pairs."""
    return _characters_and_pairs(piece) if _is_unspaced(piece[0]) else (_singular(piece),)


@lru_cache(maxsize=65_536)
def piece_grams(piece: str) -> tuple[str, ...]:
    """Return the character 3- and 4-grams of the blank-padded word; in scripts without blanks, as `piece_words`."""
    if _is_unspaced(piece[0]):
        return _characters_and_pairs(piece)
    padded = f" {piece} "
    return tuple(padded[i : i + n] for n in (3, 4) for i in range(len(padded) - n + 1))


def _whole(run: str) -> tuple[str, ...]:
    return _characters_and_pairs(run) if _is_unspaced(run[0]) else (run,)


def _characters_and_pairs(run: str) -> tuple[str, ...]:
    return (*run, *map("".join, pairwise(run)))


def _singular(word: str) -> str:
    # `accounts` asks for the table `account`: +.09 to +.13 F1@5 where only names are searched.
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _plain(text: str) -> str:
    """Remove compatibility forms and accents, but no mark that makes another letter (kana's voicing, vowel signs)."""
    return unicodedata.normalize("NFC", "".join(c for c in unicodedata.normalize("NFKD", text) if not _is_accent(c)))


def _is_accent(character: str) -> bool:
    # 10-36 are Hebrew and Arabic points, from 200 on marks above, below and through; what lies between is Thai and Lao
    position = unicodedata.combining(character)
    return position >= 200 or 10 <= position <= 36


def _is_unspaced(character: str) -> bool:
    code = ord(character)
    return code >= 0x0E00 and any(first <= code <= last for first, last in UNSPACED)


class _Kinds(dict[int, str]):
    """Code point -> kind, worked out once each: U(pper), l(etter or mark), d(igit), c (unspaced), blank."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] in "LM" and _is_unspaced(character):
            kind = "c"
        elif category in ("Lu", "Lt"):
            kind = "U"
        else:
            kind = {"L": "l", "M": "l", "N": "d"}.get(category[0], " ")
        self[code] = kind
        return kind


_KINDS = _Kinds()
