"""Encoders: which one a setting stands for, the real model offline, and models that cannot be loaded."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph.errors import EncoderUnavailable
from services.discovery.intent_vectors import CAPACITY, IntentVectors
from services.encoders import MINILM, Encoder, load_encoder


def test_none_says_why() -> None:
    encoder, why_not = load_encoder("none")
    assert encoder is None
    assert why_not is not None
    assert "RETINUE_ENCODER" in why_not


@pytest.mark.tier("test")
def test_a_broken_folder_is_unavailable_and_not_tried_twice(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    encoder, _ = load_encoder(str(tmp_path))
    assert encoder is not None
    with pytest.raises(EncoderUnavailable, match="RETINUE_ENCODER=none") as first:
        encoder.encode(["anything"])
    with pytest.raises(EncoderUnavailable) as second:
        encoder.encode(["anything"])
    assert second.value is first.value


def test_two_models_in_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    names = []
    for parent, config in (("a", "{}"), ("b", '{"hidden": 2}')):
        folder = tmp_path / parent / "model"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(config)
        encoder, _ = load_encoder(str(folder))
        assert encoder is not None
        names.append(encoder.name)
    assert names[0] != names[1]
    assert all(name.startswith("model@") for name in names)


def test_the_real_model_needs_no_network_and_keeps_the_order(neural: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the encoder opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    texts = ["which accounts are overdue", "x", "the colour of a product, described at some length " * 5, "x"]
    rows = neural.encode(texts)
    assert neural.name == MINILM
    assert rows.dtype == np.float32
    assert rows.shape == (4, 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-6)
    assert rows @ rows[1] == pytest.approx(neural.encode(texts[::-1])[::-1] @ rows[1], abs=1e-6)
    assert (rows == neural.encode(texts)).all()
    assert float(rows[0] @ neural.encode(["late payments of customers"])[0]) > float(rows[0] @ rows[2])


def test_vectors_are_held_and_bounded(gram_encoder: Any) -> None:
    class Once:
        name = "once"

        def __init__(self) -> None:
            self.asked: list[str] = []

        def encode(self, texts: Any) -> Any:
            self.asked += texts
            return gram_encoder.encode(texts)

    encoder = Once()
    vectors = IntentVectors(encoder, missing=None)
    for text in ("a b", "c d", "a b"):
        vector, reason = vectors.vector(text)
        assert reason is None
        assert (vector == gram_encoder.encode([text])[0]).all()
    assert encoder.asked == ["a b", "c d"]
    vectors.vectors(tuple(f"text {n}" for n in range(CAPACITY)))
    vectors.vector("a b")
    assert encoder.asked.count("a b") == 2
