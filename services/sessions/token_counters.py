"""Counters of tokens by name. A model's own tokeniser counts best: who has it gives `tokens` with each chunk."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from graph.errors import InvalidInput
from services.retention.session_arrays import TokenCounter, count_tokens


def count_quarters(text: str) -> int:
    """A token for every four bytes of UTF-8 begun: near to what models count, also for scripts without blanks."""
    return max((len(text.encode("utf-8", "surrogatepass")) + 3) // 4, 1)


COUNTERS: Mapping[str, TokenCounter] = MappingProxyType({"words": count_tokens, "bytes": count_quarters})


def counter_of(name: str) -> TokenCounter:
    if name not in COUNTERS:
        raise InvalidInput(f"token counter {name!r}", found="no such counter", hint=f"One of {', '.join(COUNTERS)}")
    return COUNTERS[name]
