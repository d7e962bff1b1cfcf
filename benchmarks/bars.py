"""The bars: what each figure has to reach, each once, as a name, a sentence and a test of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

Kept = Mapping[str, Any]
"""A row as `results.json` keeps it."""

LINES = ("neo4j_5", "neo4j_26")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`figure` takes the rows of `name`, smallest size first; None where they do not say."""

    name: str
    says: str
    figure: Callable[[Sequence[Kept]], float | None]
    most: float
    shown: str = "{:.2f}"


def slope(rows: Sequence[Kept]) -> float | None:
    """The power of the size with which seconds grow, from the smallest size to the largest."""
    there = [row for row in rows if row["seconds"]]
    if len(there) < 2 or there[0]["size"] == there[-1]["size"]:
        return None
    return log(there[-1]["seconds"] / there[0]["seconds"]) / log(there[-1]["size"] / there[0]["size"])


def at(size: int, key: str) -> Callable[[Sequence[Kept]], float | None]:
    return lambda rows: next((row[key] for row in rows if row["size"] == size), None)


def worst(key: str) -> Callable[[Sequence[Kept]], float | None]:
    return lambda rows: max((row[key] for row in rows if row[key] is not None), default=None)


def growth(rows: Sequence[Kept]) -> float | None:
    """The seconds at 10^5 over those at 10^3; None where either was not measured."""
    by_size = {row["size"]: row["seconds"] for row in rows if row["seconds"]}
    return by_size[100_000] / by_size[1_000] if {1_000, 100_000} <= by_size.keys() else None


def overhead(rows: Sequence[Kept]) -> float | None:
    """The upper bound of what is added to the baseline, pair by pair; None where no pairs were measured."""
    return max((row["difference"][2] for row in rows if "difference" in row), default=None)


def missed(rows: Sequence[Kept]) -> float | None:
    """The share of the ten nearest that the worst workspace misses."""
    return max((1 - row["recall"] for row in rows if "recall" in row), default=None)


BARS = (
    Bar(name="discover_embedded", says="at 10^5 at most 2 x the kernels", figure=at(100_000, "ratio"), most=2),
    Bar(
        name="discover_embedded_words",
        says="at 10^4 without an encoder at most 2 ms",
        figure=at(10_000, "seconds"),
        most=0.002,
        shown="{:.4f} s",
    ),
    *(
        Bar(
            name=name,
            says="at 10^5 the default rule at most 1.5 x the cost of none",
            figure=at(100_000, "ratio"),
            most=1.5,
        )
        for name in ("memory_embedded", "memory_embedded_words")
    ),
    *(
        bar
        for line in LINES
        for bar in (
            Bar(
                name=f"discover_{line}",
                says="at 10^5 at most 1.5 x the bare queries and the lexical kernel",
                figure=at(100_000, "ratio"),
                most=1.5,
            ),
            Bar(name=f"discover_{line}", says="at 5 at most 1 x one bare vector query", figure=at(5, "ratio"), most=1),
            Bar(
                name=f"discover_{line}_clients",
                says="under 8 clients at least .7 of the bare queries' throughput (their time over ours)",
                figure=worst("ratio"),
                most=1 / 0.7,
            ),
            Bar(
                name=f"recall_{line}",
                says="recall@10 at least .99 at every size (the share missed)",
                figure=missed,
                most=0.01,
                shown="{:.4f}",
            ),
            Bar(name=f"import_{line}", says="at most 1.25 x a raw UNWIND", figure=worst("ratio"), most=1.25),
            Bar(name=f"import_{line}", says="slope at most 1.2", figure=slope, most=1.2),
        )
    ),
    Bar(
        name="write_embedded",
        says="at least 1,000 memories/s",
        figure=worst("seconds"),
        most=0.001,
        shown="{:.5f} s each",
    ),
    Bar(name="write_embedded", says="at 10^5 at most 1.2 x 10^3", figure=growth, most=1.2),
    Bar(
        name="learn_embedded",
        says="at least 400 statements/s",
        figure=worst("seconds"),
        most=1 / 400,
        shown="{:.5f} s each",
    ),
    Bar(name="learn_embedded", says="at 10^5 at most 1.2 x 10^3", figure=growth, most=1.2),
    Bar(name="import_embedded", says="slope at most 1.2", figure=slope, most=1.2),
    Bar(
        name="http_overhead",
        says="at most 2 ms over the service call (upper bound of 95 %)",
        figure=overhead,
        most=0.002,
        shown="{:.4f} s",
    ),
    *(
        Bar(
            name=name,
            says=f"at 10^5 and 10^6 at most {most:g} x the matrix-vector product",
            figure=worst("ratio"),
            most=most,
        )
        for name, most in (("retain_onehop", 0.25), ("retain_closure", 0.5), ("retain_default", 1.0))
    ),
    Bar(name="retain_default", says="slope at most 1.2", figure=slope, most=1.2),
    Bar(
        name="beliefs_build",
        says="for 10^5 chunks in at most 2 s",
        figure=at(100_000, "seconds"),
        most=2,
        shown="{:.2f} s",
    ),
    Bar(
        name="beliefs_add_100",
        says="100 chunks to 10^5 in at most 50 ms",
        figure=at(100_000, "seconds"),
        most=0.05,
        shown="{:.4f} s",
    ),
    Bar(name="retain_10k_networkx", says="faster than the plain form", figure=worst("ratio"), most=1, shown="{:.4f}"),
    Bar(name="retain_10k_lists", says="faster than the plain form", figure=worst("ratio"), most=1, shown="{:.4f}"),
    Bar(
        name="open_embedded",
        says="10^5 objects and 10^4 memories in at most 6 s",
        figure=at(100_000, "seconds"),
        most=6,
        shown="{:.2f} s",
    ),
)
