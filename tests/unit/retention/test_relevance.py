"""Relevance by every encoder: no zero vectors, exact ties, the scale of a cosine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.errors import EncoderUnavailable, InvalidInput
from services.retention.relevance import ENCODERS, DenseRelevance, Hashing, index_texts

WORDLESS = ("hashing", "hashing-ascii", "tfidf", "bm25")


@given(st.text(min_size=1, max_size=30).filter(lambda text: text.strip()))
@settings(max_examples=300, deadline=None)
def test_no_text_of_any_script_becomes_a_zero_vector(text):
    (row,) = Hashing(ascii_only=False).encode([text])
    assert np.linalg.norm(row) == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["雾凇词库部署", "สวัสดีครับ", "привет мир", "🙂", "!!!", "가나다", "नमस्ते", "a b c"])
def test_scripts_are_seen(text):
    assert Hashing(ascii_only=False).encode([text]).any()


def test_ascii_texts_hash_as_published():
    texts = ["Service Cinder receives 11 requests_per second.", "ops-note: X"]
    whole, published = (Hashing(ascii_only=ascii_only).encode(texts) for ascii_only in (False, True))
    np.testing.assert_array_equal(whole, published)


@pytest.mark.parametrize("encoder", ["hashing", "tfidf", "bm25"])
def test_an_unspaced_query_finds_its_text(encoder):
    scores = index_texts(["雾凇词库部署", "午饭在中午", "loans"], encoder=encoder).score("雾凇拼音")
    assert scores[0] > scores[1]
    assert scores[2] <= scores[1]


@pytest.mark.parametrize("encoder", WORDLESS)
@given(texts=st.lists(st.sampled_from(["the vault", "the key", "noon", "", "鍵 と 門"]), max_size=12))
@settings(max_examples=40, deadline=None)
def test_equal_texts_tie_to_the_last_bit_within_the_scale(encoder, texts):
    scores = index_texts(texts, encoder=encoder).score("the vault key 鍵")
    assert len(scores) == len(texts)
    assert np.all(np.abs(scores) <= 1 + 1e-9)
    assert all(scores[i] == scores[texts.index(text)] for i, text in enumerate(texts))


@pytest.mark.parametrize("encoder", WORDLESS)
def test_a_query_without_a_word_is_relevant_to_nothing(encoder):
    assert not index_texts(["the vault", "noon"], encoder=encoder).score("  ").any()


@pytest.mark.parametrize("encoder", WORDLESS)
def test_an_extended_index_equals_a_fresh_one(encoder):
    texts = ["the vault", "noon", "the vault", "a key to noon"]
    grown, whole = index_texts(texts[:2], encoder=encoder).extended(texts[2:]), index_texts(texts, encoder=encoder)
    np.testing.assert_array_equal(grown.score("key to the vault"), whole.score("key to the vault"))
    pairs = np.array([0, 1, 2]), np.array([2, 3, 3])
    np.testing.assert_allclose(grown.between(*pairs), whole.between(*pairs))
    assert whole.between(*pairs)[0] == pytest.approx(1.0)


def test_given_vectors_spare_encoding():
    class Refusing:
        def encode(self, texts, /):
            raise AssertionError("the vectors are there already")

    matrix = np.eye(3, dtype=np.float32)[[0, 1, 0]]
    index = DenseRelevance(Refusing(), texts=["a", "b", "a"], matrix=matrix)
    assert index.score_vector(np.array([1, 0, 0], dtype=np.float32)).tolist() == [1, 0, 1]


def test_what_is_not_there_is_said():
    with pytest.raises(EncoderUnavailable, match="hashing"):
        index_texts(["a"], encoder="neural")
    with pytest.raises(InvalidInput, match=", ".join(ENCODERS)):
        index_texts(["a"], encoder="word2vec")  # type: ignore[arg-type]
