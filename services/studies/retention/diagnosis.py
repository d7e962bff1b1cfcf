"""Measures of a retained chain, and classes of failure.

Only a study reads the truth of a scenario; no policy ever sees it.
"""

from collections.abc import Collection
from typing import Literal

from services.retention.session_arrays import PremiseArrays, RealArray

Failure = Literal["none", "retention", "forgetting", "retrieval", "reasoning"]


def full_chain(kept: Collection[int], chain: Collection[int]) -> bool:
    """Return whether every chunk of the chain is kept."""
    return set(chain) <= set(kept)


def coverage(kept: Collection[int], chain: Collection[int]) -> float:
    """Return the share of the chain that is kept, 0..1; 1 for an empty chain."""
    return len(set(chain) & set(kept)) / len(set(chain)) if chain else 1.0


def chain_broken(kept: Collection[int], chain: Collection[int], premises: PremiseArrays) -> bool:
    """Return whether a kept chunk of the chain has lost a premise of the chain."""
    return any(i in kept and j not in kept for i, j in _inside(chain, premises))


def structurally_indirect(cosines: RealArray, chain: Collection[int], premises: PremiseArrays) -> tuple[int, ...]:
    """Return the premises of the chain that are less similar to the query than a chunk of it that needs them."""
    return tuple(sorted({j for i, j in _inside(chain, premises) if cosines[i] > cosines[j]}))


def classify(
    kept: Collection[int],
    chain: Collection[int],
    premises: PremiseArrays,
    *,
    cosines: RealArray,
    read: Collection[int] | None = None,
    answered: bool | None = None,
) -> Failure:
    """Return the first thing that went wrong.

    `retention`: a structurally indirect premise of the chain is gone; `forgetting`: another chunk of it is;
    `retrieval`: all is kept, but not all was `read`; `reasoning`: all was read, and the answer is still wrong.
    """
    gone = set(chain) - set(kept)
    if gone:
        return "retention" if gone & set(structurally_indirect(cosines, chain, premises)) else "forgetting"
    if read is not None and not set(chain) <= set(read):
        return "retrieval"
    return "reasoning" if answered is False else "none"


def _inside(chain: Collection[int], premises: PremiseArrays) -> list[tuple[int, int]]:
    members = set(chain)
    return [(i, j) for i in sorted(members) for j in premises.of(i) if j in members]
