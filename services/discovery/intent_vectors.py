"""The vectors of intents asked about lately, and the one place where a failing encoder becomes a stated reason."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

import numpy as np

from graph.embeddings import EmbeddingStore, FloatArray
from graph.errors import EncoderUnavailable
from services.encoders import Encoder

CAPACITY = 16_384  # 25 MB at 384 dimensions: the intents of memories are among them


class IntentVectors:
    """An LRU over one encoder. Safe to call from several threads."""

    def __init__(self, encoder: Encoder | None, *, missing: str | None) -> None:
        self._encoder = encoder
        self._missing = missing or "no neural encoder"
        self._held: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = Lock()

    @property
    def model(self) -> str | None:
        return None if self._encoder is None else self._encoder.name

    def vector(self, text: str) -> tuple[FloatArray | None, str | None]:
        """The vector, or why there is none."""
        if self._encoder is None:
            return None, self._missing
        try:
            return self.vectors((text,))[0], None
        except EncoderUnavailable as error:
            return None, str(error)

    def vectors(self, texts: tuple[str, ...]) -> FloatArray:
        """One row a text. Raises `EncoderUnavailable`, also where there is no encoder."""
        if self._encoder is None:
            raise EncoderUnavailable("vectors", found=self._missing, hint="Ask with a lexical retriever")
        with self._lock:
            held = {text: self._held[text] for text in texts if text in self._held}
            for text in held:
                self._held.move_to_end(text)
        new = tuple(dict.fromkeys(text for text in texts if text not in held))
        if new:
            held |= dict(zip(new, self._encoder.encode(new), strict=True))
        with self._lock:
            for text in new:
                self._held[text] = held[text]
            while len(self._held) > CAPACITY:
                self._held.popitem(last=False)
        return np.stack([held[text] for text in texts])

    def stored(self, store: EmbeddingStore, workspace: str, intents: Mapping[str, str]) -> dict[str, FloatArray]:
        """By text, the vectors of these intents (id -> text) that are held or that the store has; none is made."""
        with self._lock:
            held = {text: self._held[text] for text in intents.values() if text in self._held}
        lacking = [key for key, text in intents.items() if text not in held]
        if not lacking:
            return held
        for embeddings in store.show_embeddings(workspace, lacking, of="intents"):
            if embeddings.model == self.model:
                found = zip(embeddings.ids, embeddings.matrix, strict=True)
                held |= {intents[key]: vector for key, vector in found}
        with self._lock:
            self._held |= {text: vector for text, vector in held.items() if text not in self._held}
            while len(self._held) > CAPACITY:
                self._held.popitem(last=False)
        return held
