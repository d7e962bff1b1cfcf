"""Policies: score the chunks of a session for a query, from relevance and premises.

Which policies there are, with what parameters, is declared in `arms`; selection under the budget is in `selection`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from graph.premises import Spread
from services.retention.liveness import Layers, damped_hops, inherited, personalised_pagerank
from services.retention.selection import Basket, Dependencies
from services.retention.session_arrays import BoolArray, ChunkArrays, PremiseArrays, RealArray
from services.retention.units import Units

TEMPERATURE = 0.25

Given = Mapping[str, float]
"""The parameters of an arm, by name, defaults included."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Believed:
    """Declared and inferred premises, the belief in each, and their layers weighted by belief."""

    premises: PremiseArrays
    beliefs: RealArray
    layers: Layers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flow:
    """How liveness runs along premises under a published policy; see `graph.premises.Premises.live_set`. `roots` has a
    flag a chunk; None: every chunk counts by its relevance."""

    spread: Spread
    relevance: RealArray
    weight: float
    factors: tuple[float, ...] = ()
    roots: BoolArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """The inputs of a policy. `units`, if given, are kept or evicted whole. `words` (TF-IDF cosines), `believed` and
    `cover` (see `coverage.fill_covering`) are computed only if a policy calls them; `least`, if given, returns cached
    lower bounds on the cost of each chunk with its required premises; `live`, if given, computes the scores of
    published policies elsewhere than over these arrays.
    """

    chunks: ChunkArrays
    premises: PremiseArrays
    layers: Layers
    units: Units | None
    cosines: RealArray
    words: Callable[[], RealArray]
    believed: Callable[[], Believed]
    cover: Callable[[Basket], RealArray]
    least: Callable[[Dependencies], RealArray] | None = None
    live: Callable[[Flow], RealArray] | None = None


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


def dsgc(relevance: RealArray, given: Given) -> Flow:
    """r + lambda * the sum of r over the chunks that need it."""
    r = softmax(relevance, temperature=given["temperature"])
    return Flow(spread="sum", relevance=r, weight=given["lambda"], factors=(1.0,))


def dsgc_roots(relevance: RealArray, given: Given) -> Flow:
    """r + lambda where a root needs the chunk; roots are the most relevant chunks."""
    r = softmax(relevance, temperature=given["temperature"])
    if given["threshold"]:
        roots: BoolArray = r > given["threshold"]
    elif given["top"]:
        roots = top(r, count=int(given["top"]))
    else:
        roots = otsu(r)
    return Flow(spread="reach", relevance=r, weight=given["lambda"], factors=(1.0,), roots=roots)


def multi_hop(relevance: RealArray, given: Given) -> Flow:
    """r + lambda * sum over k of gamma^(k-1) (A^T)^k r, for k up to `depth`."""
    r = softmax(relevance, temperature=given["temperature"])
    factors = tuple(given["gamma"] ** step for step in range(int(given["depth"])))
    return Flow(spread="sum", relevance=r, weight=given["lambda"], factors=factors)


def closure(relevance: RealArray, given: Given) -> Flow:
    """Relevance + beta * the largest relevance among the chunks that this one depends on."""
    return Flow(spread="closure", relevance=relevance, weight=given["beta"])


def live_scores(case: Case, flow: Flow) -> RealArray:
    """Run a flow over the arrays of a case."""
    gains: RealArray | BoolArray
    match flow.spread:
        case "sum":
            gains = damped_hops(flow.relevance, case.premises, factors=flow.factors)
        case "reach":
            start = np.ones(len(flow.relevance)) if flow.roots is None else flow.roots.astype(np.float64)
            gains = damped_hops(start, case.premises, factors=flow.factors) > 0
        case "closure":
            gains = case.layers.best_below(flow.relevance)
    return flow.relevance + flow.weight * gains


def inherit(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """As `multi_hop`, with the largest term instead of the sum."""
    r = no_graph(case, relevance, given)
    return r + given["lambda"] * inherited(r, case.premises, gamma=given["gamma"], depth=int(given["depth"]))


def pagerank(case: Case, relevance: RealArray, given: Given) -> RealArray:
    return personalised_pagerank(no_graph(case, relevance, given), case.premises, damping=given["damping"])


def credible(case: Case, relevance: RealArray, given: Given) -> RealArray:
    """As `closure`, over believed premises, each path weighted by the beliefs along it."""
    return relevance + given["beta"] * case.believed().layers.best_below(relevance)
