"""Rows to domain values and back: what the nouns of this back end share about records.

Pure functions; nothing here runs a query.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar
from zlib import crc32

from graph.catalogue import DataObject
from graph.chunks import Chunk, Tombstone
from graph.embeddings import Embeddings, FloatArray, check_width, unit_rows
from graph.evidence import Scores
from graph.feedback import Discovery, Trust
from graph.memories import Memory
from graph.plain import EXPECTATION, OUTCOME, TRIAL, Form
from graph.premises import Premise
from graph.sessions import Session
from graph.workspaces import Stamp

T = TypeVar("T")

WIDEST = 4096  # what the server's vector indexes take

EXPECTED = EXPECTATION.but("memory", "support")
"""What a memory's node keeps as one text of its expectation."""

_ESCAPE = "\ud7ff"  # the last character below the surrogates


class HalfRead(Exception):
    """A node was deleted while the query that had found it read it: some of its properties came as null. Whoever asked
    reads again."""


def check_whole(*values: object) -> None:
    """Refuses what lacks something that every node of its kind has."""
    if None in values:
        raise HalfRead


def sort_key(identifier: str) -> str:
    """The id, so written that the server's order of strings is that of code points.

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
    """Pairs, both of whose parts are there."""
    pairs = [(first, second) for first, second in rows]
    for pair in pairs:
        check_whole(*pair)
    return pairs


def scores_of(pairs: Iterable[Sequence[Any]]) -> Scores:
    """Pairs of id and value as parallel tuples, in the order given."""
    rows = whole_pairs(pairs)
    return Scores(ids=tuple(row[0] for row in rows), values=tuple(row[1] for row in rows))


def stamp_of(row: Mapping[str, Any]) -> Stamp:
    check_whole(row["incarnation"], row["version"], row["catalogue_version"])
    return Stamp(incarnation=row["incarnation"], version=row["version"], catalogue_version=row["catalogue_version"])


def instant(value: Any) -> datetime:
    """The server's zoned instant as an aware UTC datetime."""
    native: datetime = value.to_native()
    return native.astimezone(UTC)


def object_of(row: Mapping[str, Any]) -> DataObject:
    check_whole(*(row[name] for name in ("id", "kind", "name", "description", "source", "gone", "folded")))
    return DataObject(
        id=row["id"],
        kind=row["kind"],
        name=row["name"],
        description=row["description"],
        table=row["table"],
        data_type=row["data_type"],
        source=row["source"],
        gone=row["gone"],
        folded=row["folded"],
    )


def memory_of(row: Mapping[str, Any]) -> Memory:
    check_whole(*(value for name, value in row.items() if name not in ("statement", "dialect")))
    return Memory(
        id=row["id"],
        intent_id=row["intent_id"],
        intent=row["intent"],
        objects=tuple(row["objects"]),
        state=row["state"],
        created_at=instant(row["created_at"]),
        last_used_at=instant(row["last_used_at"]),
        times=row["times"],
        successes=row["successes"],
        failures=row["failures"],
        evidence=tuple(value_of(OUTCOME, text) for text in row["evidence"]),
        statement=row["statement"],
        dialect=row["dialect"],
        revision=row["revision"],
        missing=tuple(row["missing"]),
    )


SEALED = ("revision", "times", "successes", "failures", "state", "objects", "evidence", "statement", "dialect")


def seal_of(row: Mapping[str, Any]) -> int:
    """One number for all that a change of a memory may move, so that it can be seen whether it is of one write."""
    return crc32(repr([row[name] for name in SEALED]).encode())


def session_of(row: Mapping[str, Any]) -> Session:
    check_whole(*row.values())
    return Session(**{**row, "created_at": instant(row["created_at"])})


def chunk_of(row: Mapping[str, Any]) -> Chunk:
    check_whole(*(value for name, value in row.items() if name != "archived_at"))
    archived_at = row["archived_at"]
    return Chunk(**{**row, "archived_at": None if archived_at is None else instant(archived_at)})


def premise_of(row: Mapping[str, Any]) -> Premise:
    check_whole(*(value for name, value in row.items() if name not in ("belief", "reasons")))
    return Premise(**{**row, "reasons": tuple(row["reasons"] or ())})


def tombstone_of(row: Mapping[str, Any]) -> Tombstone:
    check_whole(*row.values())
    return Tombstone(**{**row, "at": instant(row["at"])})


def text_of(form: Form[T], value: T) -> str:
    """Return the plain form as one text: a property holds neither a map nor a list of lists, and a thousand values
    apart take the driver 4 ms."""
    return json.dumps(form.encode(value), ensure_ascii=False)


def value_of(form: Form[T], text: str, **more: Any) -> T:
    """Return the value that `text_of` made the text from."""
    return form.decode(json.loads(text), **more)


def discovery_of(row: Mapping[str, Any]) -> Discovery:
    """From a node's own properties."""
    check_whole(*row.values())
    trials = tuple(value_of(TRIAL, text) for text in row["trials"])
    return Discovery(**{**row, "results": tuple(row["results"]), "at": instant(row["at"]), "trials": trials})


def trust_of(found: Sequence[Sequence[Any]]) -> tuple[Trust, ...]:
    """By rule; one that was forgotten while it was read is left out."""
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
    """A signed 64-bit digest: what the server can hold as an integer."""
    hashed = hashlib.blake2b(digest_size=8)
    for part in parts:
        hashed.update(part)
    return int.from_bytes(hashed.digest(), "big", signed=True)


def distinct(identifiers: Iterable[str]) -> list[str]:
    return sorted(set(identifiers))
