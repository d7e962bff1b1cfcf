"""A cache of the vectors of recent intents, and the one place where an encoder's failure becomes a stated reason."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

import numpy as np

from graph.embeddings import FloatArray
from graph.errors import EncoderUnavailable
from services.encoders import Encoder

CAPACITY = 16_384  # 25 MB at 384 dimensions


class IntentVectors:
    """An LRU cache over one encoder. Thread-safe."""

    def __init__(self, encoder: Encoder | None, *, missing: str | None) -> None:
        self._encoder = encoder
        self._missing = missing or "no neural encoder"
        self._held: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = Lock()

    @property
    def model(self) -> str | None:
        return None if self._encoder is None else self._encoder.name

    def vector(self, text: str) -> tuple[FloatArray | None, str | None]:
        """The vector of a text, or the reason why there is none."""
        if self._encoder is None:
            return None, self._missing
        try:
            return self.vectors((text,))[0], None
        except EncoderUnavailable as error:
            return None, str(error)

    def vectors(self, texts: tuple[str, ...]) -> FloatArray:
        """One row for each text. Raises `EncoderUnavailable`, also without an encoder."""
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
