"""Embeddings: vectors of data objects and intents, and the port that keeps them.

Vectors are float32 and of unit length; which model makes them is the services' choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
"""Embeddings: float32, rows of unit length."""
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embeddings:
    """Vectors of one model: row i of `matrix` (n x d, float32, unit length) belongs to `ids[i]`."""

    model: str
    ids: tuple[str, ...]
    matrix: FloatArray


class EmbeddingStore(Protocol):
    """Embeddings of data objects and intents."""

    def list_unembedded(
        self,
        workspace: str,
        *,
        of: Literal["objects", "intents"],
        model: str,
        after: str | None = None,
        limit: int = 500,
    ) -> tuple[str, ...]:
        """Ids of live objects, or of intents, without an embedding of `model`."""
        ...

    def show_embeddings(
        self, workspace: str, ids: Sequence[str], *, of: Literal["objects", "intents"]
    ) -> tuple[Embeddings, ...]:
        """The embeddings of those of `ids` that have one, bit for bit as they were stored: one value for each model, by
        model, its ids sorted."""
        ...

    def save_embeddings(self, workspace: str, embeddings: Embeddings, *, of: Literal["objects", "intents"]) -> None:
        """Stores them where the ids are (still) there, replacing older ones. Moves the workspace's version, and for
        objects the catalogue's."""
        ...
