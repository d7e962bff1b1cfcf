"""From cosines to the relevance of roots: the published softmax, thresholds, and importance and freshness on request.

What roots keep alive belongs to `liveness`.
"""

from __future__ import annotations

import numpy as np

from services.retention.chunks import BoolArray, Chunks, RealArray

TEMPERATURE = 0.25


def softmax(cosines: RealArray, *, temperature: float = TEMPERATURE) -> RealArray:
    """Relevance over the session, sums to 1."""
    if not len(cosines):
        return cosines
    relevance: RealArray = cosines / temperature
    relevance -= relevance.max()
    np.exp(relevance, out=relevance)
    relevance /= np.cumsum(relevance)[-1]  # summed in order, as the artifact does
    return relevance


def with_merits(
    cosines: RealArray, chunks: Chunks, *, importance: float, freshness: float, half_life: float
) -> RealArray:
    """Cosines plus what else speaks for a chunk: importance * its importance + freshness * 2^(-age / half_life)."""
    merits = cosines
    if importance:
        merits = merits + importance * chunks.importance
    if freshness:
        merits = merits + freshness * np.exp2(-chunks.ages / half_life)
    return merits


def above(relevance: RealArray, *, threshold: float) -> BoolArray:
    return relevance > threshold


def top(relevance: RealArray, *, count: int) -> BoolArray:
    """The `count` largest, ties by order of ingestion."""
    chosen = np.zeros(len(relevance), dtype=np.bool_)
    chosen[np.argsort(-relevance, kind="stable")[:count]] = True
    return chosen


def otsu(relevance: RealArray) -> BoolArray:
    """Those above the threshold that parts the values best: the largest variance between the two classes."""
    values = np.sort(relevance)
    count = len(values)
    if count < 2 or values[0] == values[-1]:
        return np.zeros(count, dtype=np.bool_)
    below = np.arange(1, count)
    sums = np.cumsum(values)
    low = sums[:-1] / below
    high = (sums[-1] - sums[:-1]) / (count - below)
    between = below * (count - below) * (high - low) ** 2
    between[values[1:] == values[:-1]] = -1  # a threshold cannot part equal values
    roots: BoolArray = relevance > values[int(np.argmax(between))]
    return roots
