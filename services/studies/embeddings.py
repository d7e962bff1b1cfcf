"""Embeddings of a study's texts: each made once, in batches, and kept on disk by model and texts.

An arm gets an encoder that only looks up, so that arms, runs and processes see the same bits.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from graph.embeddings import FloatArray
from graph.errors import EncoderUnavailable
from services.encoders import Encoder


class HeldVectors:
    """An encoder over texts whose vectors are known; it can be pickled."""

    def __init__(self, name: str, vectors: Mapping[str, FloatArray]) -> None:
        self.name = name
        self._vectors = vectors

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Return one row a text. Raises `EncoderUnavailable` for a text that was not encoded before."""
        if unknown := [text for text in texts if text not in self._vectors]:
            raise EncoderUnavailable(f"a vector of {unknown[0][:60]!r}", found="not made before", hint="Hold all texts")
        return np.stack([self._vectors[text] for text in texts])


def hold(encoder: Encoder, texts: Iterable[str], *, folder: Path | None) -> HeldVectors:
    """Encode the texts, or read their vectors from `folder` where a run before kept them (None: keep none)."""
    ordered = sorted(set(texts))
    digest = sha256("\0".join([encoder.name, *ordered]).encode()).hexdigest()
    file = None if folder is None else folder / f"{digest}.npy"
    if file is not None and file.exists():
        matrix = np.load(file)
    else:
        matrix = encoder.encode(ordered)
        if file is not None:
            _keep(file, matrix)
    return HeldVectors(encoder.name, dict(zip(ordered, matrix, strict=True)))


def _keep(file: Path, matrix: FloatArray) -> None:
    """Replace the file as a whole: another run may be reading it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(f".{os.getpid()}")
    with beside.open("wb") as opened:
        np.save(opened, matrix)
    beside.replace(file)
