"""Which words chunks mention: many texts cut at once are cut as each alone, and a session grown is one made whole."""

from __future__ import annotations

import random

import numpy as np

from services.retention.beliefs.term_index import TermIndex, cut, cut_all

TEXTS = [
    "Deploy of ref_12 FAILED: see job-7/x9.",
    "",
    "  \t\n ",
    "Zürich straße 漢字テスト İstanbul A\u00a0b",
    "a\0b \0 c",
    "\0",
    "ref_12 again, 1234 and 12",
    "naïve ref_12",
    "Deploy of ref_12 FAILED: see job-7/x9.",
]


def test_many_texts_are_cut_as_each_alone() -> None:
    for seed in range(20):
        texts = random.Random(seed).sample(TEXTS, len(TEXTS))
        assert cut_all(texts) == [word for text in texts for word in (*cut(text), "\0")]


def test_a_session_grown_mentions_what_one_made_whole_does() -> None:
    whole = TermIndex().extended(TEXTS)
    for at in range(len(TEXTS)):
        start = TermIndex().extended(TEXTS[:at])
        start.extended(["another", "way to", "go on"])  # from the same beginning
        grown = start.extended(TEXTS[at:])
        for name, values in vars(whole).items():
            if isinstance(values, np.ndarray):
                assert np.array_equal(values, getattr(grown, name)), name
    assert whole.number_of("ref_12") == 2
    assert whole.number_of("\0") == whole.number_of("another") == -1
