"""Embeddings: vectors of data objects and intents, and the port that keeps them.

Vectors are float32 and of unit length; which model makes them is the services' choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from graph.errors import InvalidInput

FloatArray = NDArray[np.float32]
"""Embeddings: float32, rows of unit length."""
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Embeddings:
    """Vectors of one model: row i of `matrix` (n x d, float32, unit length) belongs to `ids[i]`."""

    model: str
    ids: tuple[str, ...]
    matrix: FloatArray


UNIT_TOLERANCE = 1e-3  # float16 encoders are off by that much; a vector that was never normalised by far more


def unit_rows(embeddings: Embeddings, *, widest: int | None = None) -> FloatArray:
    """Return the matrix as float32, a row for each id.

    Raises `InvalidInput` where it has another shape, more than `widest` columns, or a row that is not finite or not of
    unit length: an index would leave such a vector out without an error, or rank it wrongly."""
    matrix = np.ascontiguousarray(embeddings.matrix, dtype=np.float32)
    wide = matrix.shape[1] if matrix.ndim == 2 else 0
    if len(matrix) != len(embeddings.ids) or not 1 <= wide <= (widest or wide):
        raise InvalidInput(
            f"{len(embeddings.ids)} embeddings by model {embeddings.model!r}",
            found=f"a matrix of shape {matrix.shape}",
            hint=f"Give one row for each id{f', of 1 to {widest} numbers' if widest else ''}",
        )
    lengths = np.linalg.norm(matrix, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1) <= UNIT_TOLERANCE))  # a NaN is never within it
    if len(wrong):
        raise InvalidInput(
            f"an embedding of {embeddings.ids[wrong[0]]!r} by model {embeddings.model!r}",
            found=f"a vector of length {lengths[wrong[0]]:.4g}",
            hint="Give finite vectors of unit length",
        )
    return matrix


def check_width(width: int, *, stored: int | None, model: str) -> None:
    """Raise `InvalidInput` if vectors of this width cannot be compared with those `stored` under the model's name."""
    if stored not in (None, width):
        raise InvalidInput(
            f"an embedding of {width} dimensions by model {model!r}",
            found=f"embeddings of {stored} dimensions under this model's name",
            hint="Set RETINUE_ENCODER to the model that the workspace was embedded with, "
            "or give the other model another name and run `retinue reindex`",
        )


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
        """Return at most `limit` ids of live objects, or of intents, without an embedding of `model`, after `after`."""

    def show_embeddings(
        self, workspace: str, ids: Sequence[str], *, of: Literal["objects", "intents"]
    ) -> tuple[Embeddings, ...]:
        """Return the embeddings of `ids`, bit for bit as they were stored: one value for each model, by model, its ids
        sorted."""

    def save_embeddings(self, workspace: str, embeddings: Embeddings, *, of: Literal["objects", "intents"]) -> None:
        """Store the embeddings of ids that exist, replacing older ones. Moves the workspace's version, and for objects
        the catalogue's."""
