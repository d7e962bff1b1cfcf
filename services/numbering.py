"""Whole numbers that stand for terms and objects: what arrays over them need, without a sort."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def distinct(numbers: NDArray[np.intp], *, most: int) -> NDArray[np.intp]:
    """These numbers, all from 0 and below `most`, each once, in order: what `numpy.unique` says in half the time."""
    there = np.zeros(most, dtype=np.bool_)
    there[numbers] = True
    return np.flatnonzero(there)
