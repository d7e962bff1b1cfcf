"""Translate records to domain values and back, for all nouns of this back end.

Pure functions; nothing here runs a query.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import UTC, datetime
from types import NoneType
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints
from zlib import crc32

from graph.catalogue import DataObject
from graph.chunks import Chunk, Tombstone
from graph.embeddings import Embeddings, FloatArray, check_width, unit_rows
from graph.evidence import Scores
from graph.feedback import Discovery, Trust
from graph.memories import Memory
from graph.plain import EXPECTATION, Form
from graph.plain import MEMORY as MEMORY_FORM
from graph.premises import Premise
from graph.sessions import Session
from graph.workspaces import Reply, Stamp

T = TypeVar("T")

WIDEST = 4096  # what the server's vector indexes take

EXPECTED = EXPECTATION.but("memory", "support")
"""What a memory's node keeps as one text of its expectation."""

_ESCAPE = "\ud7ff"  # the last character below the surrogates


class HalfRead(Exception):
    """A node was deleted while a query read it, so that some of its properties came as null: the read is repeated."""


def check_whole(*values: object) -> None:
    """Raise `HalfRead` where a value is null that every node of its kind has."""
    if None in values:
        raise HalfRead


def sort_key(identifier: str) -> str:
    """Return the id, written so that the server's order of strings is that of code points.

    In memory the server compares UTF-16 units, in its indexes code points: they differ for characters from U+E000
    on against those beyond U+FFFF. Both order these keys alike, and nearly every id is its own key.
    """
    if identifier.isascii() or max(identifier) < _ESCAPE:
        return identifier
    return "".join(c if c < _ESCAPE else f"{_ESCAPE}{ord(c):06x}" for c in identifier)


def batches(rows: Sequence[T], *, size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def whole_pairs(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, Any]]:
    """Return the rows as pairs. Raises `HalfRead` where a part is null."""
    pairs = [(first, second) for first, second in rows]
    for pair in pairs:
        check_whole(*pair)
    return pairs


def scores_of(pairs: Iterable[Sequence[Any]]) -> Scores:
    """Return pairs of id and value as parallel tuples, in the order given."""
    rows = whole_pairs(pairs)
    return Scores(ids=tuple(row[0] for row in rows), values=tuple(row[1] for row in rows))


def stamp_of(row: Mapping[str, Any]) -> Stamp:
    check_whole(row["incarnation"], row["version"], row["catalogue_version"])
    return Stamp(incarnation=row["incarnation"], version=row["version"], catalogue_version=row["catalogue_version"])


def instant(value: Any) -> datetime:
    """Return the server's zoned instant as an aware UTC datetime."""
    native: datetime = value.to_native()
    return native.astimezone(UTC)


class Properties(Generic[T]):
    """A dataclass as properties of a node or a relationship, derived from its fields: tuples as lists, values within
    as texts (a property holds no map), and null only where a field may be None."""

    def __init__(self, kind: type[T]) -> None:
        hints = get_type_hints(kind)
        self._kind = kind
        self.names = tuple(hints)
        self._required = [name for name, hint in hints.items() if NoneType not in get_args(hint)]
        self._readers = [(name, read) for name, hint in hints.items() if (read := _codec(hint)[0])]
        self._writers = [(name, write) for name, hint in hints.items() if (write := _codec(hint)[1])]

    def read(self, row: Mapping[str, Any]) -> T:
        """Return the value. Raises `HalfRead` where a property that every such node has is null."""
        check_whole(*map(row.__getitem__, self._required))
        values = dict(row)
        for name, read in self._readers:
            values[name] = read(values[name])
        return self._kind(**values)

    def write(self, value: T, **others: Any) -> dict[str, Any]:
        """Return the properties by name, with `others` beside or instead of them."""
        row = {name: getattr(value, name) for name in self.names}
        for name, write in self._writers:
            row[name] = write(row[name])
        return row | others


def _codec(hint: Any) -> tuple[Callable[[Any], Any] | None, Callable[[Any], Any] | None]:
    """How a property of the type is read and written; None: as it is."""
    parts = get_args(hint)
    if hint is float:
        return None, float
    if hint is datetime or datetime in parts:
        return (lambda value: None if value is None else instant(value)), None
    if get_origin(hint) is not tuple:
        return None, None
    if not is_dataclass(parts[0]):
        return tuple, list
    form: Form[Any] = Form(parts[0])  # type: ignore[arg-type]  # a class, as types of fields are
    return (
        lambda texts: tuple(value_of(form, text) for text in texts),
        lambda values: [text_of(form, each) for each in values],
    )


def seal_of(memory: Memory) -> int:
    """Return a checksum of all that a write of a memory may change, to tell whether its parts are of one write."""
    return crc32(repr(sorted(MEMORY_FORM.encode(memory).items())).encode())


def text_of(form: Form[T], value: T) -> str:
    """Return the plain form as one text: a property holds neither a map nor a list of lists, and a thousand values
    apart take the driver 4 ms."""
    return json.dumps(form.encode(value), ensure_ascii=False)


def value_of(form: Form[T], text: str, **more: Any) -> T:
    """Return the value that `text_of` made the text from."""
    return form.decode(json.loads(text), **more)


def trust_of(found: Sequence[Sequence[Any]]) -> tuple[Trust, ...]:
    """Return the trust by rule; one that was deleted while it was read is left out."""
    whole = (each for each in found if None not in each)
    trust = [Trust(rule=rule, lead=lead, outcomes=outcomes) for rule, lead, outcomes in whole]
    return tuple(sorted(trust, key=lambda each: each.rule))


def embedding_rows(embeddings: Embeddings | None) -> dict[str, tuple[FloatArray, int]]:
    """Return, by id, the vector and a digest of it and its model. Raises `InvalidInput` as `unit_rows` does."""
    if embeddings is None or not embeddings.ids:
        return {}
    seed = embeddings.model.encode()
    rows = zip(embeddings.ids, unit_rows(embeddings, widest=WIDEST), strict=True)
    return {identifier: (row, digest(seed, row.tobytes())) for identifier, row in rows}


def check_stored_width(embeddings: Embeddings | None, *, stored: int | None) -> None:
    """Raise `InvalidInput` if the embeddings cannot be compared with those stored under their model's name."""
    if embeddings is not None and embeddings.ids:
        check_width(embeddings.matrix.shape[1], stored=stored, model=embeddings.model)


def digest(*parts: bytes) -> int:
    """Return a signed 64-bit digest: what the server can hold as an integer."""
    hashed = hashlib.blake2b(digest_size=8)
    for part in parts:
        hashed.update(part)
    return int.from_bytes(hashed.digest(), "big", signed=True)


def distinct(identifiers: Iterable[str]) -> list[str]:
    return sorted(set(identifiers))


OBJECT = Properties(DataObject)
MEMORY = Properties(Memory)
DISCOVERY = Properties(Discovery)
REPLY = Properties(Reply)
SESSION = Properties(Session)
CHUNK = Properties(Chunk)
PREMISE = Properties(Premise)
TOMBSTONE = Properties(Tombstone)
