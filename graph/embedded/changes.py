"""What the embedded store writes: a change is one record of one kind, whole.

Nothing here touches a file or the graph. A record names its workspace, kind and id; without a value it says "deleted".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any, NamedTuple

from graph.embeddings import FloatArray
from graph.evidence import Expectation


class Kind(IntEnum):
    """The kinds of record, in the order in which many at once are applied: what is named comes before who names it."""

    WORKSPACE = 1
    OBJECT = 2
    OBJECT_VECTOR = 3
    REFERENCE = 4
    INTENT = 5
    INTENT_VECTOR = 6
    MEMORY = 7
    EXPECTATION = 8
    DISCOVERY = 9
    REPLY = 10
    TRUST = 11
    SESSION = 20
    CHUNK = 21
    CHUNK_VECTOR = 22
    PREMISE = 23
    TOMBSTONE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRecord:
    """A workspace and its versions; `removed_version` is that of the latest deletion of an object or intent."""

    incarnation: str
    created_at: datetime
    version: int = 0
    catalogue_version: int = 0
    removed_version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vector:
    """One embedding and its model."""

    model: str
    values: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptExpectation:
    """An expectation, the catalogue's version and the form of the registry's score that it was made for."""

    expectation: Expectation
    catalogue_version: int
    form: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """A session, its version, and the position of its next chunk."""

    incarnation: str
    created_at: datetime
    version: int = 0
    added: int = 0


class Change(NamedTuple):
    """A record as it is from now on; `value` None: it is deleted. `version` is the workspace's at that write."""

    workspace: str
    kind: Kind
    id: str
    version: int
    value: Any


_KEYS = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # made once: it is asked for several times a row


def key_of(*parts: str) -> str:
    """The id of a record that several ids make; JSON, because each may hold any delimiter."""
    return _KEYS.encode(parts)


def parts_of(record_id: str) -> tuple[str, ...]:
    return tuple(json.loads(record_id))


def reference_id(start: str, end: str) -> str:
    """The id of a reference's record: JSON, because an id may hold any delimiter."""
    return json.dumps([start, end], ensure_ascii=False, separators=(",", ":"))


def reference_ends(record_id: str) -> tuple[str, str]:
    start, end = json.loads(record_id)
    return start, end
