"""A cache of the vectors of recent intents, and the one place where an encoder's failure becomes a stated reason."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from graph.embeddings import FloatArray
from graph.errors import EncoderUnavailable
from services.encoders import Encoder

CAPACITY = 16_384  # 25 MB at 384 dimensions


Key = TypeVar("Key", bound=Hashable)


class VectorCache(Generic[Key]):
    """An LRU cache of vectors. Thread-safe."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._held: OrderedDict[Key, FloatArray] = OrderedDict()
        self._capacity = capacity
        self._lock = Lock()

    def get(self, keys: Iterable[Key]) -> dict[Key, FloatArray]:
        """The vectors of those of these keys that are held."""
        with self._lock:
            found = {key: self._held[key] for key in keys if key in self._held}
            for key in found:
                self._held.move_to_end(key)
        return found

    def put(self, vectors: Mapping[Key, FloatArray]) -> None:
        with self._lock:
            self._held |= vectors
            while len(self._held) > self._capacity:
                self._held.popitem(last=False)


class IntentVectors:
    """A cache over one encoder. Thread-safe."""

    def __init__(self, encoder: Encoder | None, *, missing: str | None) -> None:
        self._encoder = encoder
        self._missing = missing or "no neural encoder"
        self._cache: VectorCache[str] = VectorCache()

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
        held = self._cache.get(texts)
        if new := tuple(dict.fromkeys(text for text in texts if text not in held)):
            made = dict(zip(new, self._encoder.encode(new), strict=True))
            self._cache.put(made)
            held |= made
        return np.stack([held[text] for text in texts])
