"""The published feature-hashing encoder, and its extension to texts in any script.

No model and no vocabulary: a token's SHA-256 says its bucket and its sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise

import numpy as np

from services.retention.session_arrays import RealArray
from services.words import UNSPACED

BUCKETS = 256
_ASCII = re.compile(r"[a-zA-Z0-9_]+")
# Written without blanks (or, Hangul, with clinging particles): single characters and pairs are the words.
_UNSPACED = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED)
_RUNS = re.compile(rf"[{_UNSPACED}]+|[^\W{_UNSPACED}]+")
_FIRST_UNSPACED = re.compile(rf"[{_UNSPACED}]")


def ascii_tokens(text: str) -> list[str]:
    """The published tokeniser: runs of ASCII letters, digits and underscores, in lower case."""
    return _ASCII.findall(text.lower())


def any_tokens(text: str) -> list[str]:
    """The same for ASCII texts; other scripts by words, or by characters and their pairs where words have no blanks.

    A text without any word is its characters, so that only a blank text has no token.
    """
    lowered = text.lower()
    if lowered.isascii():
        found = _ASCII.findall(lowered)
    else:
        found = [token for run in _RUNS.findall(lowered) for token in _pieces(run)]
    return found or [c for c in lowered if not c.isspace()]


def _pieces(run: str) -> Iterator[str]:
    if not _FIRST_UNSPACED.match(run):
        yield run
        return
    yield from run
    yield from (a + b for a, b in pairwise(run))


@lru_cache(maxsize=1 << 16)
def _feature(token: str) -> tuple[int, float]:
    digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % BUCKETS, 1.0 if digest[4] % 2 == 0 else -1.0


def hash_texts(texts: Sequence[str], *, ascii_only: bool) -> RealArray:
    """One row of unit length a text. `ascii_only` is the published form, in which a text can become a zero row."""
    matrix = np.zeros((len(texts), BUCKETS))
    for row, text in enumerate(texts):
        tokens = ascii_tokens(text) if ascii_only else any_tokens(text)
        _count(matrix[row], tokens)
        if not ascii_only and tokens and not matrix[row].any():
            _count(matrix[row], [" ".join(tokens)])  # all its features met in pairs of opposite sign
    norms = np.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
    np.divide(matrix, norms, out=matrix, where=norms > 0)
    return matrix


def _count(row: RealArray, tokens: Sequence[str]) -> None:
    for token in tokens:
        bucket, sign = _feature(token)
        row[bucket] += sign
