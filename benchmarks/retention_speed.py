"""What `retain` costs beyond the one matrix-vector product, and what beliefs cost to build and to extend.

`python -m benchmarks retention --size 100000`, or `python -m benchmarks.retention_speed [--shape episodes|deep]` for
other webs of premises. Vectors are synthetic (384-d float32), with 1.5 premises a chunk.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks.rows import Row, in_turn, timed
from graph.embeddings import FloatArray
from services.retention.relevance import DenseRelevance
from services.retention.retaining import retain
from services.retention.session_arrays import IntArray, make_chunks, make_premises
from services.retention.sessions import SessionArrays

BUDGET = 8_000
ADDED = 100
ROUNDS = 15
MEDIAN = f"median of {ROUNDS}"
POLICIES = {"retain_onehop": "dsgc", "retain_closure": "closure", "retain_default": "default"}


class Synthetic:
    """Random unit rows in place of a model's."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)

    def encode(self, texts: Sequence[str], /) -> FloatArray:
        rows = self._random.standard_normal((len(texts), 384), dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


SHAPES = ("anywhere", "episodes", "deep")


def make_log(size: int, *, shape: str, random: np.random.Generator) -> tuple[list[str], IntArray]:
    """Texts of a dozen words and identifiers, 1.5 premises a chunk: anywhere before it; within its episode of 50
    chunks; or on a log scale, which makes one web of hundreds of layers out of the whole session.
    """
    last = "bdfgklmnprstvwz"
    words = np.array([f"{a}{b}{c}" for a in last for b in "aeiou" for c in random.permutation(list(last))])
    drawn = words[np.minimum(random.zipf(1.3, size=(size, 12)) - 1, len(words) - 1)]
    dependents = np.sort(random.integers(1, size, size=int(1.5 * size)))
    if shape == "episodes":
        dependents = dependents[dependents % 50 > 0]
    reach = dependents % 50 if shape == "episodes" else dependents
    drawn_back = reach ** random.random(len(reach)) if shape == "deep" else 1 + random.random(len(reach)) * reach
    back = np.clip(drawn_back.astype(np.int64), 1, reach)
    edges = np.stack([dependents, dependents - back], axis=1)
    mentioned: list[list[str]] = [[] for _ in range(size)]
    for i, j in edges[random.random(len(edges)) < 0.8].tolist():
        mentioned[i].append(f"ref_{j}")
    return [" ".join((*row, f"ref_{i}", *mentioned[i])) for i, row in enumerate(drawn.tolist())], edges


def measure(size: int, *, shape: str = SHAPES[0]) -> Iterator[Row]:
    random = np.random.default_rng(3)
    texts, edges = make_log(size, shape=shape, random=random)
    encoder = Synthetic()
    chunks = make_chunks(texts, tokens=random.integers(20, 120, size=size))
    index = DenseRelevance(encoder, texts=texts, matrix=encoder.encode(texts))
    session = SessionArrays(chunks, premises=make_premises(size, edges), index=index)
    built = timed(lambda: session.beliefs.believed)
    session.warm()
    vector = encoder.encode([""])[0]
    query, cosines = " ".join(texts[size // 2].split()[:8]), index.score_vector(vector)
    ask = partial(retain, session, query, budget_tokens=BUDGET, cosines=cosines)
    calls = [lambda: index.matrix @ vector, *(partial(ask, policy=policy) for policy in POLICIES.values())]
    base, *spent = in_turn(*(lambda _, call=call: call for call in calls), rounds=ROUNDS)
    for name, seconds in zip(POLICIES, spent, strict=True):
        yield Row(name=name, size=size, seconds=seconds, baseline="matrix @ vector", baseline_seconds=base, note=MEDIAN)
    yield Row(name="beliefs_build", size=size, seconds=built, baseline="", note="once a session")
    for name, seconds in zip(("beliefs_add_100", "beliefs_refit"), additions(session, edges), strict=True):
        yield Row(name=name, size=size, seconds=seconds, baseline="", note=f"{ADDED} chunks more, {MEDIAN}")


def additions(session: SessionArrays, edges: IntArray) -> tuple[float, float]:
    """Return the median seconds of several additions in a row, and of the first use of the beliefs after one."""
    beliefs, index = session.beliefs, session.index
    adding, fitting = [], []
    for _ in range(ROUNDS):
        size = len(beliefs.terms.row_of)
        places = np.arange(size, size + ADDED)
        added = [f"note ref_{place} after ref_{place - 3}" for place in places.tolist()]
        edges = np.concatenate([edges, np.stack([places, places - 3], axis=1)])
        premises, index = make_premises(size + ADDED, edges), index.extended(added)
        begin = perf_counter()
        beliefs = beliefs.extended(added, premises=premises, index=index)
        adding.append(perf_counter() - begin)
        fitting.append(timed(lambda own=beliefs: own.believed))
    return median(adding), median(fitting)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, nargs="+", default=[100_000])
    parser.add_argument("--shape", choices=SHAPES, default=SHAPES[0])
    asked = parser.parse_args()
    for size in asked.size:
        for row in measure(size, shape=asked.shape):
            print(row)


if __name__ == "__main__":
    main()
