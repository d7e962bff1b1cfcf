"""The one tokeniser: everything lexical, for objects and for intents, cuts and folds text here.

It knows Unicode and identifiers; it knows no index, no weight and no language but English plurals.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

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

# Over a string of kinds (see `_Kinds`): an acronym before a capitalised word, a word, a number, an unspaced run.
PIECES = re.compile(r"U+(?!l)|U?l+|d+|c+")
ASCII_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# English words that tell no two objects apart; a question of nothing else asks for nothing.
_FUNCTION_WORDS = """
    a about all an and any are as at be been but by can could did do does for from had has have he her his how i if
    in into is it its me my no not of on or our out she so some than that the their them then there these they this
    those to us was we were what when where which who whom whose why will with would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


def fold(text: str) -> str:
    """Compatibility forms, accents and case folded away; `Café`, composed or not, is `cafe`."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", _plain(text).casefold())


def words(text: str) -> list[str]:
    """Its words in order: identifiers cut at `_`, digits and camelCase, folded, plural endings stripped; of scripts
    without blanks the single characters and pairs."""
    return [term for piece in pieces(text) for term in piece_words(piece)]


def grams(text: str) -> list[str]:
    """Character 3- and 4-grams inside its (blank-padded) words; of scripts without blanks characters and pairs."""
    return [term for piece in pieces(text) for term in piece_grams(piece)]


def asks_something(text: str) -> bool:
    """Whether it holds a word or number that could tell one object from another."""
    return any(piece not in FUNCTION_WORDS for piece in pieces(text))


def full_text(item: DataObject, table_name: str | None = None) -> str:
    """What search and encoders read of an object: its table, its name, its description."""
    return " ".join(part for part in (table_name, item.name, item.description) if part)


def pieces(text: str) -> list[str]:
    """The folded pieces that terms are made of: words, numbers, runs of an unspaced script."""
    if text.isascii():
        return [piece.lower() for piece in ASCII_PIECES.findall(text)]
    plain = _plain(text)
    kinds = plain.translate(_KINDS)
    return [fold(plain[match.start() : match.end()]) for match in PIECES.finditer(kinds)]


@lru_cache(maxsize=65_536)
def piece_words(piece: str) -> tuple[str, ...]:
    return _characters_and_pairs(piece) if _is_unspaced(piece[0]) else (_singular(piece),)


@lru_cache(maxsize=65_536)
def piece_grams(piece: str) -> tuple[str, ...]:
    if _is_unspaced(piece[0]):
        return _characters_and_pairs(piece)
    padded = f" {piece} "
    return tuple(padded[i : i + n] for n in (3, 4) for i in range(len(padded) - n + 1))


def _characters_and_pairs(run: str) -> tuple[str, ...]:
    return (*run, *(run[i : i + 2] for i in range(len(run) - 1)))


def _singular(word: str) -> str:
    """`accounts` asks for the table `account`: +.09 to +.13 F1@5 where only names are searched."""
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _plain(text: str) -> str:
    """Without compatibility forms and accents. Marks that make another letter stay: kana's voicing, vowel signs."""
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
