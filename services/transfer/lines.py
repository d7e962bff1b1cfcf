"""Rows as canonical lines, and lines as rows: equal rows are equal bytes.

JSON with keys sorted, no blanks, characters as they are; instants in UTC to the microsecond; vectors as float32, little
end first, in base64. Each line is checked whole, so that a store is given nothing but what could have come from one.
"""

import binascii
import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph.errors import InvalidInput
from graph.plain import Form, Malformed, Plain, check_text
from services.transfer.rows import FORM, KINDS, VERSION, Embedding, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Encoded:
    """An embedding, its vector in base64."""

    model: str
    float32: str


_ENCODED = Form(_Encoded)


def header_line() -> bytes:
    """Return the first line of a file."""
    return _line({"form": FORM, "version": VERSION})


def row_line(row: Row[Any]) -> bytes:
    """Return the line of a row, its line end included."""
    kind = row.kind
    plain = kind.form.encode(row.value) | {"row": kind.name}
    if kind.in_session:
        plain["session"] = row.session
    if kind.embeds:
        plain["embedding"] = row.embedding and _plain_embedding(row.embedding)
    return _line(plain)


def check_header(line: bytes) -> None:
    """Raise `InvalidInput` if this is not the first line of a file that can be read here."""
    try:
        plain = _parsed(line)
    except Malformed:
        plain = None
    if not isinstance(plain, dict) or plain.get("form") != FORM:
        raise InvalidInput(
            "an import",
            found=f"the file does not begin with a line that says `form`: {FORM!r}",
            hint="Give a file that `retinue export` has written; a catalogue goes in with `retinue catalog import`",
        )
    if plain.get("version") != VERSION or isinstance(plain["version"], bool):
        raise InvalidInput(
            "an import",
            found=f"the file is of version {plain.get('version')!r}; this Retinue reads version {VERSION}",
            hint="Import it with the Retinue that wrote it, or a newer one",
        )


def read_row(line: bytes) -> Row[Any]:
    """Return the row of a line. Raises `Malformed` with what is wrong with it."""
    plain = _parsed(line)
    if not isinstance(plain, dict):
        raise Malformed("it is not a JSON object")
    name = _take(plain, "row")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise Malformed(f"`row` is none of {', '.join(KINDS)}")
    session = check_text(_take(plain, "session"), "session") if kind.in_session else None
    embedding = _take(plain, "embedding") if kind.embeds else None
    value = kind.settle(kind.form.check(plain, **kind.implied))
    made = _embedding(embedding) if embedding is not None or kind.always_embeds else None
    return kind.row(value, session=session, embedding=made)


def _line(plain: Plain) -> bytes:
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as error:  # a UnicodeDecodeError is a ValueError
        raise Malformed(f"no JSON: {str(error)[:200]}") from error


def _take(plain: Plain, name: str) -> Any:
    if name not in plain:
        raise Malformed(f"`{name}` is missing")
    return plain.pop(name)


def _plain_embedding(it: Embedding) -> Plain:
    raw = it.vector.astype("<f4", copy=False).tobytes()
    return _ENCODED.encode(_Encoded(model=it.model, float32=b64encode(raw).decode()))


def _embedding(plain: object) -> Embedding:
    encoded = _ENCODED.check(plain)
    try:
        raw = b64decode(encoded.float32, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Malformed("`float32` is no base64") from error
    if not encoded.model or not raw or len(raw) % 4:
        raise Malformed("`float32` is no whole vector of a named model")
    return Embedding(model=encoded.model, vector=np.frombuffer(raw, dtype="<f4").astype(np.float32, copy=False))
