"""The form that each kind of record has on disk: JSON by the name of each field, bytes for vectors.

What its id says is not written again. A form that changes needs another number of the schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from graph import plain
from graph.embedded.changes import (
    Change,
    KeptExpectation,
    Kind,
    SessionRecord,
    Vector,
    WorkspaceRecord,
    parts_of,
    reference_ends,
)
from graph.plain import Form
from graph.workspaces import Reply

Codec = tuple[Callable[[Any], object], Callable[[str, Any], Any]]


def encode(change: Change) -> tuple[str | None, bytes | None]:
    """Return the JSON of a change's value and, for vectors, the bytes beside it; lone surrogates raise
    `UnicodeEncodeError`."""
    if change.value is None:
        return None, None
    body = json.dumps(_CODECS[change.kind][0](change.value), ensure_ascii=False, separators=(",", ":"))
    blob = change.value.values.astype("<f4", copy=False).tobytes() if isinstance(change.value, Vector) else None
    return body, blob


def decode(kind: Kind, record_id: str, body: str | None, blob: bytes | None) -> Any:
    """Return the value that `encode` took apart."""
    if body is None:
        return None
    if blob is not None:
        return Vector(model=_model(body), values=np.frombuffer(blob, dtype="<f4"))
    return _CODECS[kind][1](record_id, json.loads(body))


@lru_cache(maxsize=16)  # one string a model, not one a vector
def _model(body: str) -> str:
    return str(json.loads(body))


def _record(form: Form[Any]) -> Codec:
    """A value whose record's id says nothing that is in it."""
    return form.encode, lambda _, values: form.decode(values)


def _named(form: Form[Any], name: str) -> Codec:
    """A value that is named by its record's id."""
    rest = form.but(name)
    return rest.encode, lambda record_id, values: rest.decode(values, **{name: record_id})


def _within_session(form: Form[Any], *names: str) -> Codec:
    """A value of a session, named by what follows the session in its record's id."""
    rest = form.but(*names)
    return rest.encode, lambda record_id, values: rest.decode(
        values, **dict(zip(names, parts_of(record_id)[1:], strict=True))
    )


_TEXT: Codec = (lambda text: text, lambda _, text: text)
_VECTOR: Codec = (lambda vector: vector.model, lambda _, model: model)
_CODECS: dict[Kind, Codec] = {
    Kind.WORKSPACE: _record(Form(WorkspaceRecord)),
    Kind.OBJECT: _named(plain.OBJECT, "id"),
    Kind.OBJECT_VECTOR: _VECTOR,
    Kind.REFERENCE: (lambda _: True, lambda record_id, _: reference_ends(record_id)),
    Kind.INTENT: _TEXT,
    Kind.INTENT_VECTOR: _VECTOR,
    Kind.MEMORY: _named(plain.MEMORY, "id"),
    Kind.EXPECTATION: _record(Form(KeptExpectation)),
    Kind.DISCOVERY: _named(plain.DISCOVERY, "id"),
    Kind.REPLY: _named(Form(Reply), "key"),
    Kind.TRUST: _named(plain.TRUST, "rule"),
    Kind.SESSION: _record(Form(SessionRecord)),
    Kind.CHUNK: _within_session(plain.CHUNK, "id"),
    Kind.CHUNK_VECTOR: _VECTOR,
    Kind.PREMISE: _within_session(plain.PREMISE, "chunk", "premise"),
    Kind.TOMBSTONE: _within_session(plain.TOMBSTONE, "chunk"),
}
