"""Token counters by name. The tokeniser of the model itself is more exact: give its counts with the chunks."""

from collections.abc import Mapping
from types import MappingProxyType

from graph.errors import InvalidInput
from services.retention.session_arrays import TokenCounter, count_tokens


def count_quarters(text: str) -> int:
    """Return the UTF-8 bytes / 4, rounded up: close to the counts of models, also for scripts without blanks."""
    return max((len(text.encode("utf-8", "surrogatepass")) + 3) // 4, 1)


COUNTERS: Mapping[str, TokenCounter] = MappingProxyType({"words": count_tokens, "bytes": count_quarters})


def counter_of(name: str) -> TokenCounter:
    """Return the counter of this name. Raises `InvalidInput`."""
    if name not in COUNTERS:
        raise InvalidInput(f"token counter {name!r}", found="no such counter", hint=f"One of {', '.join(COUNTERS)}")
    return COUNTERS[name]
