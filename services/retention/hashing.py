"""The published feature-hashing encoder, and its extension to texts in any script.

No model and no vocabulary: a token's SHA-256 gives its bucket and its sign. Tokens are those of `services.words`; the
published form takes ASCII ones only.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

import numpy as np

from services.retention.session_arrays import RealArray
from services.words import TOKEN, tokens

BUCKETS = 256


@lru_cache(maxsize=1 << 16)
def _feature(token: str) -> tuple[int, float]:
    digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % BUCKETS, 1.0 if digest[4] % 2 == 0 else -1.0


def hash_texts(texts: Sequence[str], *, ascii_only: bool) -> RealArray:
    """Return a row of unit length for each text, n x 256. `ascii_only` is the published form, in which a text without
    ASCII tokens becomes a zero row."""
    matrix = np.zeros((len(texts), BUCKETS))
    for row, text in enumerate(texts):
        found = TOKEN.findall(text.lower()) if ascii_only else tokens(text)
        _count(matrix[row], found)
        if not ascii_only and found and not matrix[row].any():
            _count(matrix[row], [" ".join(found)])  # its features cancelled out in pairs of opposite sign
    norms = np.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
    np.divide(matrix, norms, out=matrix, where=norms > 0)
    return matrix


def _count(row: RealArray, found: Sequence[str]) -> None:
    for token in found:
        bucket, sign = _feature(token)
        row[bucket] += sign
