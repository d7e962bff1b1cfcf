"""The terms of a whole text, as an index has them."""

from __future__ import annotations

from services.words import piece_grams, piece_words, pieces


def words(text: str) -> list[str]:
    return [term for piece in pieces(text) for term in piece_words(piece)]


def grams(text: str) -> list[str]:
    return [term for piece in pieces(text) for term in piece_grams(piece)]
