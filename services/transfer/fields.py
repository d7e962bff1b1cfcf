"""The fields of a line: each is taken by name and checked, and what is wrong with it is said in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar, get_args

T = TypeVar("T")

MOST = 2**63 - 1  # what every store can count to
_HALF_A_PAIR = re.compile(r"[\ud800-\udfff]")


class Unreadable(Exception):
    """A line is no row; the message says why."""


class Fields:
    """The fields of one JSON object, each taken once and checked; what is left over is not known here."""

    def __init__(self, plain: object) -> None:
        if not isinstance(plain, dict):
            raise Unreadable("it is not a JSON object")
        self._plain: dict[str, Any] = dict(plain)

    def take(self, name: str) -> Any:
        if name not in self._plain:
            raise Unreadable(f"`{name}` is missing")
        return self._plain.pop(name)

    def text(self, name: str) -> str:
        return text_of(self.take(name), name)

    def optional_text(self, name: str) -> str | None:
        value = self.take(name)
        return None if value is None else text_of(value, name)

    def later_text(self, name: str) -> str | None:
        """Of a field that files written before it came do not have."""
        return self.optional_text(name) if name in self._plain else None

    def one_of(self, name: str, alternatives: Any) -> Any:
        value = self.take(name)
        if value not in get_args(alternatives):
            raise Unreadable(f"`{name}` is none of {', '.join(get_args(alternatives))}")
        return value

    def truth(self, name: str) -> bool:
        value = self.take(name)
        if not isinstance(value, bool):
            raise Unreadable(f"`{name}` is neither true nor false")
        return value

    def count(self, name: str, *, least: int = 0) -> int:
        value = self.take(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
            raise Unreadable(f"`{name}` is no whole number from {least} on")
        return value

    def number(self, name: str) -> float:
        value = self.take(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= MOST:
            raise Unreadable(f"`{name}` is no number")
        return float(value)

    def share(self, name: str) -> float:
        return share_of(self.take(name), name)

    def optional_instant(self, name: str) -> datetime | None:
        if self._plain.get(name, "") is None:
            self.take(name)
            return None
        return self.instant(name)

    def instant(self, name: str) -> datetime:
        value = self.text(name)
        try:
            at = datetime.fromisoformat(value)
            if at.tzinfo is not None:
                return at.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise Unreadable(f"`{name}` is no instant with a zone, such as 2026-02-03T04:05:06.789012Z")

    def many(self, name: str, make: Callable[[object, str], T]) -> tuple[T, ...]:
        value = self.take(name)
        if not isinstance(value, list):
            raise Unreadable(f"`{name}` is no list")
        return tuple(make(each, name) for each in value)

    def end(self) -> None:
        if self._plain:
            raise Unreadable(f"it has fields that are not known: {', '.join(sorted(self._plain))[:200]}")


def share_of(value: object, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise Unreadable(f"`{name}` is no number within 0 and 1")
    return float(value)


def text_of(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Unreadable(f"`{name}` is not text")
    if not value.isascii() and _HALF_A_PAIR.search(value):
        raise Unreadable(f"`{name}` holds half of a surrogate pair, which is no character")
    return value
