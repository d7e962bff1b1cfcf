"""A cache of sessions as arrays: built once for each version and encoder, and extended by additions.

Least recently used sessions are dropped beyond a number of chunks.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

import numpy as np

from graph.chunks import CHUNK_KINDS, Chunks
from graph.errors import EncoderUnavailable
from graph.session_contents import SessionContents, SessionReader
from graph.sessions import Sessions
from services.encoders import Encoder
from services.retention.relevance import DenseRelevance, EncoderName, Relevance, index_texts
from services.retention.session_arrays import OBSERVED, IntArray, PremiseArrays, from_sorted, make_chunks
from services.retention.sessions import SessionArrays
from services.retention.units import calls_answered
from services.sessions.vectors import vectors_of

_CALL, _RESULT = CHUNK_KINDS.index("call"), CHUNK_KINDS.index("result")
Columns = dict[str, Any]
ROOM = 400_000  # chunks held at once; with vectors of 384 dimensions about a gigabyte


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CachedSession:
    """A session as it was read, and its arrays."""

    contents: SessionContents
    core: SessionArrays


class SessionSource(Sessions, Chunks, SessionReader, Protocol):
    """The ports that sessions are read through."""


class SessionCache:
    """Thread-safe; two threads that miss at once may both build the session."""

    def __init__(self, store: SessionSource, encoder: Encoder | None, *, missing: str | None) -> None:
        self._store = store
        self._encoder = encoder
        self._missing = missing
        self._held: OrderedDict[tuple[str, str, str], CachedSession] = OrderedDict()
        self._lock = Lock()

    def take(self, workspace: str, session: str, *, encoder: EncoderName, may_write: bool) -> CachedSession:
        """Return the session at its present version. Raises `UnknownSession`."""
        key = (workspace, session, encoder)
        current = self._store.show_session(workspace, session)
        with self._lock:
            held = self._held.get(key)
        if held is not None and _is(held, current.incarnation, current.version):
            with self._lock:
                if key in self._held:
                    self._held.move_to_end(key)
            return held
        if held is None:
            contents = self._store.read_session(workspace, session)
        else:
            contents = self._store.read_added(workspace, session, since=held.contents)
        columns = _columns(contents)
        if held is not None and _begins_with(contents, held, columns):
            core = self._grown(held, contents, columns)
        else:
            core = self._made(workspace, contents, columns, encoder=encoder, may_write=may_write)
        made = CachedSession(contents=contents, core=core)
        with self._lock:
            self._held[key] = made
            self._held.move_to_end(key)
            while len(self._held) > 1 and sum(len(it.contents.ids) for it in self._held.values()) > ROOM:
                self._held.popitem(last=False)
        return made

    def _made(
        self, workspace: str, contents: SessionContents, columns: Columns, *, encoder: EncoderName, may_write: bool
    ) -> SessionArrays:
        return SessionArrays(
            make_chunks(contents.texts, **columns),
            premises=premises_in(contents),
            index=self._index(workspace, contents, encoder=encoder, may_write=may_write),
        )

    def _grown(self, held: CachedSession, contents: SessionContents, columns: Columns) -> SessionArrays:
        known = len(held.contents.ids)
        return held.core.extended(
            contents.texts[known:],
            premises=premises_in(contents),
            **{name: column[known:] for name, column in columns.items()},
        )

    def _index(self, workspace: str, contents: SessionContents, *, encoder: EncoderName, may_write: bool) -> Relevance:
        if encoder != "neural":
            return index_texts(contents.texts, encoder=encoder)
        if self._encoder is None:
            raise EncoderUnavailable(
                "the encoder `neural`",
                found=self._missing or "there is none",
                hint="Ask with `hashing`, which needs none",
            )
        matrix = vectors_of(self._store, workspace, contents, encoder=self._encoder, may_write=may_write)
        return DenseRelevance(self._encoder, texts=contents.texts, matrix=matrix)


def _columns(contents: SessionContents) -> Columns:
    """Return what the arrays of a session take beside its texts, by name."""
    return {
        "tokens": contents.tokens,
        "pinned": contents.pinned,
        "importance": contents.importance,
        "is_call": contents.kinds == _CALL,
        "calls": calls_in(contents),
    }


def calls_in(contents: SessionContents) -> IntArray:
    """Return for each chunk the place of the call that it is the result of, -1 for none: the latest before it with its
    call id, or where it has none the latest that it is observed to rest on."""
    calls = calls_answered([CHUNK_KINDS[kind] for kind in contents.kinds.tolist()], contents.call_ids)
    observed = contents.grades == OBSERVED
    answers = observed & (contents.kinds[contents.sources] == _RESULT) & (contents.kinds[contents.targets] == _CALL)
    for result, call in zip(contents.sources[answers].tolist(), contents.targets[answers].tolist(), strict=True):
        if contents.call_ids[result] is None and call < result:
            calls[result] = max(calls[result], call)
    return calls


def premises_in(contents: SessionContents) -> PremiseArrays:
    return from_sorted(
        len(contents.ids), contents.sources, contents.targets, weights=contents.weights, grades=contents.grades
    )


def _is(held: CachedSession, incarnation: str, version: int) -> bool:
    it = held.contents.session
    return it.incarnation == incarnation and it.version == version


def _begins_with(contents: SessionContents, held: CachedSession, columns: Columns) -> bool:
    """True if only chunks and premises were added since, so that what was computed of the old chunks holds."""
    old, known = held.contents, len(held.contents.ids)
    return (
        contents.session.incarnation == old.session.incarnation
        and contents.ids[:known] == old.ids
        and all(
            np.array_equal(getattr(contents, name)[:known], getattr(old, name))
            for name in ("positions", "tokens", "pinned", "importance", "kinds", "roles")
        )
        and contents.texts[:known] == old.texts
        and contents.call_ids[:known] == old.call_ids
        and np.array_equal(columns["calls"][:known], held.core.chunks.calls)
    )
