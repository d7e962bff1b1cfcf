"""The plain form of stored values: what JSON can hold, derived from the fields of their dataclasses.

The SQLite journal, export files and the texts on Neo4j's nodes all use it. Decoding is trusting for what Retinue wrote
itself, and strict for files that people bring.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Generic, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from graph.catalogue import DataObject
from graph.chunks import Chunk, Tombstone
from graph.evidence import Expectation
from graph.feedback import Discovery, Trust
from graph.memories import Memory
from graph.premises import Premise

T = TypeVar("T")
Plain = dict[str, Any]

MOST = 2**63 - 1  # what every store can count to
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Malformed(Exception):
    """A plain value has not the form expected; the message names the field and says what it must be."""


class Form(Generic[T]):
    """The plain form of a dataclass: a dict of its fields by name, nested dataclasses likewise.

    `without` names fields that are derived or kept elsewhere, `keys` the names in the plain form of fields that have
    another there. The strict decoder wants whole numbers from `least` on (0 where none is given), numbers within 0 and
    1 for `shares`, and does not take null for `required`.
    """

    def __init__(
        self,
        kind: type[T],
        *,
        without: Collection[str] = (),
        least: Mapping[str, int] | None = None,
        shares: Collection[str] = (),
        required: Collection[str] = (),
        keys: Mapping[str, str] | None = None,
    ) -> None:
        self._kind = kind
        self._rules = {"least": least, "shares": shares, "required": required, "keys": keys}
        self._without = frozenset(without)
        self._renamed = bool(keys)
        hints = get_type_hints(kind)
        self.names = tuple(it.name for it in fields(kind) if it.name not in self._without)  # type: ignore[arg-type]
        self._fields = {(keys or {}).get(name, name): name for name in self.names}  # by key in the plain form
        self._values = attrgetter(*self.names) if len(self.names) > 1 else lambda it: (getattr(it, self.names[0]),)
        self._codecs = {
            key: _codec(hints[name], least=(least or {}).get(name, 0), share=name in shares, required=name in required)
            for key, name in self._fields.items()
        }
        self._encoders = [(key, it.encode) for key, it in self._codecs.items() if it.encode is not None]
        self._decoders = [(key, it.decode) for key, it in self._codecs.items() if it.decode is not None]

    def but(self, *names: str) -> Form[T]:
        """Return the same form without these fields too."""
        return Form(self._kind, without=self._without | set(names), **self._rules)  # type: ignore[arg-type]

    def encode(self, value: T) -> Plain:
        """Return the fields of `value` by name, each as JSON can hold it."""
        plain = dict(zip(self._fields, self._values(value), strict=True))
        for key, encode in self._encoders:
            plain[key] = encode(plain[key])
        return plain

    def decode(self, plain: Plain, **more: Any) -> T:
        """Return the value that `encode` made `plain` from; a field that is not there has its default.

        `more` are fields that the form is without. `plain` is used up.
        """
        for key, decode in self._decoders:
            if key in plain:
                plain[key] = decode(plain[key])
        if self._renamed:
            plain = {self._fields[key]: it for key, it in plain.items()}
        return self._kind(**plain, **more) if more else self._kind(**plain)

    def check(self, plain: object, **more: Any) -> T:
        """Return the value for a plain form that may be wrong; `more` are fields that the form is without.

        Raises `Malformed` for a field that is missing, not known, or not what it must be."""
        if not isinstance(plain, dict):
            raise Malformed("it is not a JSON object")
        for key in self._fields:
            if key not in plain:
                raise Malformed(f"`{key}` is missing")
        if unknown := plain.keys() - self._fields.keys():
            raise Malformed(f"it has fields that are not known: {', '.join(sorted(unknown))[:200]}")
        return self._kind(**{self._fields[key]: it.check(plain[key], key) for key, it in self._codecs.items()}, **more)


class _Codec(NamedTuple):
    """One field: how it is encoded and decoded (None: as it is), and checked under its name."""

    encode: Callable[[Any], Any] | None
    decode: Callable[[Any], Any] | None
    check: Callable[[Any, str], Any]


def _codec(hint: Any, *, least: int = 0, share: bool = False, required: bool = False) -> _Codec:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        (inner,) = (part for part in parts if part is not NoneType)
        codec = _codec(inner, least=least, share=share)
        return codec if required else _or_none(codec)
    if origin is tuple:
        return _many(_codec(parts[0]))
    if origin is Literal:
        return _Codec(None, None, lambda value, name: _one_of(value, name, parts))
    if hint is int:
        return _Codec(None, None, lambda value, name: _count(value, name, least=least))
    if hint is float:
        return _Codec(float, None, _share if share else _number)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    form: Form[Any] = Form(hint)
    return _Codec(form.encode, form.decode, lambda value, _: form.check(value))


def _or_none(codec: _Codec) -> _Codec:
    encode, decode, check = codec
    return _Codec(
        encode and (lambda value: None if value is None else encode(value)),
        decode and (lambda value: None if value is None else decode(value)),
        lambda value, name: None if value is None else check(value, name),
    )


def _many(codec: _Codec) -> _Codec:
    encode, decode, check = codec

    def check_each(value: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Malformed(f"`{name}` is no list")
        return tuple(check(each, name) for each in value)

    return _Codec(
        encode and (lambda values: [encode(each) for each in values]),
        (lambda values: tuple(map(decode, values))) if decode else tuple,
        check_each,
    )


def plain_instant(at: datetime) -> str:
    """Return the instant in UTC to the microsecond, such as 2026-02-03T04:05:06.789012Z."""
    at = at if at.tzinfo is UTC else at.astimezone(UTC)  # nearly all are: a third of the time
    return at.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def _instant(value: Any, name: str) -> datetime:
    try:
        at = datetime.fromisoformat(check_text(value, name))
        if at.tzinfo is not None:
            return at.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise Malformed(f"`{name}` is no instant with a zone, such as 2026-02-03T04:05:06.789012Z")


def check_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise Malformed(f"`{name}` is not text")
    if not value.isascii() and _LONE_SURROGATE.search(value):
        raise Malformed(f"`{name}` holds half of a surrogate pair, which is no character")
    return value


def _truth(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise Malformed(f"`{name}` is neither true nor false")
    return value


def _one_of(value: Any, name: str, alternatives: tuple[str, ...]) -> str:
    if value not in alternatives:
        raise Malformed(f"`{name}` is none of {', '.join(alternatives)}")
    return str(value)


def _count(value: Any, name: str, *, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
        raise Malformed(f"`{name}` is no whole number from {least} on")
    return value


def _number(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= MOST:
        raise Malformed(f"`{name}` is no number")
    return float(value)


def _share(value: Any, name: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise Malformed(f"`{name}` is no number within 0 and 1")
    return float(value)


_SIMPLE = {
    str: _Codec(None, None, check_text),
    bool: _Codec(None, None, _truth),
    datetime: _Codec(plain_instant, datetime.fromisoformat, _instant),
}

OBJECT = Form(DataObject)
MEMORY = Form(Memory, without={"missing"}, least={"revision": 1})
EXPECTATION = Form(Expectation)
DISCOVERY = Form(Discovery)
TRUST = Form(Trust)
CHUNK = Form(Chunk, least={"tokens": 1}, shares={"importance"})
PREMISE = Form(Premise, shares={"weight", "belief"})
TOMBSTONE = Form(Tombstone)
