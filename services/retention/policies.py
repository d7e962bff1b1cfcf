"""Policies: score the chunks of a session for a query, from relevance and premises.

Which policies there are, with what parameters, is declared in `arms`; selection under the budget is in `selection`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from graph.premises import HOP_LIMIT
from services.retention.liveness import Layers, damped_hops, inherited, one_hop, personalised_pagerank
from services.retention.selection import Dependencies
from services.retention.session_arrays import BoolArray, ChunkArrays, PremiseArrays, RealArray

TEMPERATURE = 0.25

Given = Mapping[str, float]
"""The parameters of an arm, by name, defaults included."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Believed:
    """Declared and inferred premises, the belief in each, and their layers weighted by belief."""

    premises: PremiseArrays
    beliefs: RealArray
    layers: Layers


class Hops(Protocol):
    """Liveness worked out elsewhere, where premises are stored: the same numbers as those of `liveness`."""

    def one_hop(self, relevance: RealArray, /) -> RealArray: ...

    def damped_hops(self, relevance: RealArray, /, *, gamma: float, depth: int) -> RealArray: ...

    def best_below(self, gains: RealArray, /) -> RealArray: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """The inputs of a policy. `words` (TF-IDF cosines) and `believed` are computed only if a policy calls them;
    `least`, if given, returns cached lower bounds on the cost of each chunk with its required premises.
    """

    chunks: ChunkArrays
    premises: PremiseArrays
    layers: Layers
    cosines: RealArray
    words: Callable[[], RealArray]
    believed: Callable[[], Believed]
    least: Callable[[Dependencies], RealArray] | None = None
    hops: Hops | None = None


Score = Callable[[Case, RealArray, Given], RealArray]
"""From a case, the relevance of each chunk and the arm's parameters to the score of each chunk."""


def softmax(cosines: RealArray, *, temperature: float = TEMPERATURE) -> RealArray:
    """Return the softmax of `cosines / temperature`: relevance over the session, which sums to 1."""
    if not len(cosines):
        return cosines
    relevance: RealArray = cosines / temperature
    relevance -= relevance.max()
    np.exp(relevance, out=relevance)
    relevance /= np.cumsum(relevance)[-1]  # summed in order, as the artifact does
    return relevance


def boosted(cosines: RealArray, chunks: ChunkArrays, given: Given) -> RealArray:
    """Return cosines + importance * the chunk's importance + freshness * 2^(-age / half_life)."""
    if given["importance"]:
        cosines = cosines + given["importance"] * chunks.importance
    if given["freshness"]:
        cosines = cosines + given["freshness"] * np.exp2(-chunks.ages / given["half_life"])
    return cosines


def above(relevance: RealArray, *, threshold: float) -> BoolArray:
    return relevance > threshold


def top(relevance: RealArray, *, count: int) -> BoolArray:
    """Flag the `count` largest; ties go to the earlier chunk."""
    chosen = np.zeros(len(relevance), dtype=np.bool_)
    chosen[np.argsort(-relevance, kind="stable")[:count]] = True
    return chosen


def otsu(relevance: RealArray) -> BoolArray:
    """Flag the values above Otsu's threshold, which maximises the variance between the two classes."""
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


def recent(case: Case, _relevance: RealArray, _given: Given) -> RealArray:
    """Later chunks first: a sliding window."""
    return np.arange(len(case.chunks), dtype=np.float64)


def at_random(case: Case, _relevance: RealArray, given: Given) -> RealArray:
    return np.random.default_rng(int(given["seed"])).random(len(case.chunks))


def similar(_case: Case, relevance: RealArray, _given: Given) -> RealArray:
    return relevance


def connected(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """All chunks at either end of a premise before all others, each group by relevance."""
    ends = np.zeros(case.premises.count)
    ends[case.premises.sources] = 1.0
    ends[case.premises.targets] = 1.0
    # 4 is more than two cosines can differ by, with importance and freshness at most 1 each
    return relevance + 4.0 * (1 + given["importance"] + given["freshness"]) * ends


def no_graph(_case: Case, relevance: RealArray, given: Given) -> RealArray:
    return softmax(relevance, temperature=given["temperature"])


def dsgc(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """r + lambda * the sum of r over the chunks that need it."""
    r = no_graph(case, relevance, given)
    return r + given["lambda"] * _one_hop(case, r)


def dsgc_roots(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """r + lambda where a root needs the chunk; roots are the most relevant chunks."""
    r = no_graph(case, relevance, given)
    if given["threshold"]:
        roots = above(r, threshold=given["threshold"])
    elif given["top"]:
        roots = top(r, count=int(given["top"]))
    else:
        roots = otsu(r)
    return r + given["lambda"] * (_one_hop(case, roots.astype(np.float64)) > 0)


def multi_hop(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """r + lambda * sum over k of gamma^(k-1) (A^T)^k r, for k up to `depth`."""
    r, gamma, depth = no_graph(case, relevance, given), given["gamma"], int(given["depth"])
    if case.hops is not None and depth <= HOP_LIMIT:
        return r + given["lambda"] * case.hops.damped_hops(r, gamma=gamma, depth=depth)
    return r + given["lambda"] * damped_hops(r, case.premises, gamma=gamma, depth=depth)


def inherit(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """As `multi_hop`, with the largest term instead of the sum."""
    r = no_graph(case, relevance, given)
    return r + given["lambda"] * inherited(r, case.premises, gamma=given["gamma"], depth=int(given["depth"]))


def pagerank(case: Case, relevance: RealArray, given: Given) -> RealArray:
    return personalised_pagerank(no_graph(case, relevance, given), case.premises, damping=given["damping"])


def closure(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """Relevance + beta * the largest relevance among the chunks that this one depends on."""
    return relevance + given["beta"] * (case.hops or case.layers).best_below(relevance)


def credible(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """As `closure`, over believed premises, each path weighted by the beliefs along it."""
    return relevance + given["beta"] * case.believed().layers.best_below(relevance)


def _one_hop(case: Case, relevance: RealArray) -> RealArray:
    return one_hop(relevance, case.premises) if case.hops is None else case.hops.one_hop(relevance)
