"""What the embedded store writes: a change is one record of one kind, whole.

Each noun declares its kinds, with how a value gets into a workspace's graph. A record names its workspace, kind and id;
without a value it says "deleted".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from graph.embeddings import FloatArray
from graph.plain import Form


class Change(NamedTuple):
    """A record as it is from now on; `value` None: it is deleted. `version` is the workspace's at that write."""

    workspace: str
    kind: Kind
    id: str
    version: int
    value: Any


Apply = Callable[[Any, Change], None]
"""Puts a change into the workspace's graph that is given first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vector:
    """One embedding and its model."""

    model: str
    values: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """A kind of record. `number` stands for it in the file, and is its place where changes of many kinds are applied at
    once: what is named comes before what names it.

    `encode` gives the value as JSON can hold it, but for what the record's id says; `decode` makes it from that id and
    that JSON. A form that changes, fields with a default aside, needs another number of the file's schema.
    """

    number: int
    name: str
    apply: Apply
    encode: Callable[[Any], object] = lambda value: value
    decode: Callable[[str, Any], Any] = lambda _, plain: plain

    def write(self, value: Any) -> tuple[str | None, bytes | None]:
        """Return the value as JSON and, for vectors, the bytes beside it; lone surrogates stay in it."""
        if value is None:
            return None, None
        if isinstance(value, Vector):
            return _json(value.model), value.values.astype("<f4", copy=False).tobytes()
        return _json(self.encode(value)), None

    def read(self, record_id: str, body: str | None, blob: bytes | None) -> Any:
        """Return the value that `write` took apart."""
        if body is None:
            return None
        if blob is not None:
            return Vector(model=_model(body), values=np.frombuffer(blob, dtype="<f4"))
        return self.decode(record_id, json.loads(body))


def form_kind(
    form: Form[Any],
    *keys: str,
    number: int,
    name: str,
    apply: Apply,
    ids: Callable[[str], Iterable[str]] = lambda record_id: (record_id,),
) -> Kind:
    """Return the kind of values of a form; the fields `keys` are the `ids` that its record's id holds."""
    rest = form.but(*keys)

    def decode(record_id: str, plain: Any) -> Any:
        plain.update(zip(keys, ids(record_id), strict=False))
        return rest.decode(plain)

    return Kind(number=number, name=name, apply=apply, encode=rest.encode, decode=decode)


@lru_cache(maxsize=16)  # one string a model, not one a vector
def _model(body: str) -> str:
    return str(json.loads(body))


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # made once: it is asked several times a row


def key_of(*parts: str) -> str:
    """Return the id of a record that several ids make; JSON, because each may hold any delimiter."""
    return _json(parts)


def parts_of(record_id: str) -> tuple[str, ...]:
    """Return the ids that `key_of` joined."""
    return tuple(json.loads(record_id))


def after_session(record_id: str) -> tuple[str, ...]:
    """Return the ids of a record of a session, but the session's own."""
    return parts_of(record_id)[1:]


def keep(values: dict[str, Any], key: str, value: Any) -> None:
    """Set the value of a key, or remove the key where the value is None."""
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value
