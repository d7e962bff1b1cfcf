"""Measures of one ranking (a run) against the relevant objects of one task (its qrels), each a small function.

All are within 0 and 1. `found` is best first and has each id once; `needed` is never empty.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

CUT = 5


def hits_at(found: Sequence[str], needed: Collection[str], *, cut: int) -> int:
    return len(set(found[:cut]) & set(needed))


def recall_at(found: Sequence[str], needed: Collection[str], *, cut: int) -> float:
    return hits_at(found, needed, cut=cut) / len(set(needed))


def strict_recall_at(found: Sequence[str], needed: Collection[str], *, cut: int) -> float:
    """1 if all needed objects are found, else 0."""
    return float(hits_at(found, needed, cut=cut) == len(set(needed)))


def f1_at_5(found: Sequence[str], needed: Collection[str]) -> float:
    """2 hits / (5 + |needed|): precision counts five places, even if fewer are filled."""
    return 2 * hits_at(found, needed, cut=CUT) / (CUT + len(set(needed)))


def reciprocal_rank(found: Sequence[str], needed: Collection[str]) -> float:
    """1 / the rank of the first needed object; 0 without one."""
    return next((1 / rank for rank, item in enumerate(found, 1) if item in needed), 0.0)


def gold_first(found: Sequence[str], needed: Collection[str]) -> float:
    """1 if the first results are the needed objects, all of them and nothing else before the last, else 0."""
    return strict_recall_at(found, needed, cut=len(set(needed)))


MEASURES: Mapping[str, Callable[[Sequence[str], Collection[str]], float]] = MappingProxyType(
    {
        "recall_at_5": lambda found, needed: recall_at(found, needed, cut=5),
        "recall_at_10": lambda found, needed: recall_at(found, needed, cut=10),
        "mrr": reciprocal_rank,
        "f1_at_5": f1_at_5,
        "strict_recall_at_5": lambda found, needed: strict_recall_at(found, needed, cut=5),
        "gold_first": gold_first,
    }
)


def measured(found: Sequence[str], needed: Collection[str]) -> dict[str, float]:
    return {name: measure(found, needed) for name, measure in MEASURES.items()}
