"""The session service: add chunks as an agent works, and ask before each model call which of them to keep.

It checks its input and reads sessions through a cache. Only `retain` with `apply` evicts.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol
from uuid import uuid4

from graph.chunks import Chunk, ChunksAdded, Tombstone
from graph.errors import InvalidInput, UnknownChunks, UnknownSession
from graph.premises import Premise, Premises, PremisesAdded
from graph.sessions import Session
from services.encoders import Encoder
from services.limits import QUERY_CHARACTERS
from services.retention.arms import parse_arm, without_pairs
from services.retention.relevance import ENCODERS, EncoderName
from services.retention.retaining import Orphans, retain
from services.retention.session_arrays import check_budget
from services.sessions.answers import Applied, Retained, chunks_at, named
from services.sessions.belief_writer import BeliefWriter
from services.sessions.cache import CachedSession, SessionCache, SessionSource
from services.sessions.inputs import GivenChunk, check_id, check_premises, chunks_of, declared, digest
from services.sessions.live_sets import LiveSet, live_from_query, live_from_roots, stored_liveness
from services.sessions.token_counters import counter_of
from services.texts import fault_in, says_something

TRACED = 1_000  # evicted chunks that are explained


class SessionStore(SessionSource, Premises, Protocol):
    """The ports that the service needs."""


class SessionService:
    """Every operation raises `UnknownSession` or `UnknownChunks` for a session or chunk that does not exist."""

    def __init__(
        self,
        store: SessionStore,
        encoder: Encoder | None,
        clock: Callable[[], datetime],
        *,
        missing: str | None = None,
        missed: bool = True,
    ) -> None:
        """`missing`: why there is no encoder, in words. `missed` False: by choice, and no answer mentions it."""
        self._store = store
        self._encoder = encoder
        self._clock = clock
        self._missing = missing if missed else None
        self._cache = SessionCache(store, encoder, missing=missing)
        self._beliefs = BeliefWriter(store)

    def create(self, workspace: str, session: str) -> tuple[Session, bool]:
        """Return the session, and True if this call created it."""
        check_id(session, of="session")
        return self._store.save_session(workspace, session, incarnation=uuid4().hex, at=self._clock())

    def ensure(self, workspace: str, session: str) -> Session:
        """Return the session; create it if it does not exist."""
        try:
            return self._store.show_session(workspace, session)
        except UnknownSession:
            return self.create(workspace, session)[0]

    def show(self, workspace: str, session: str) -> Session:
        return self._store.show_session(workspace, session)

    def list(self, workspace: str, *, after: str | None = None, limit: int = 100) -> tuple[Session, ...]:
        return self._store.list_sessions(workspace, after=after, limit=limit)

    def delete(self, workspace: str, session: str) -> Session:
        """Delete the session with all that it holds. Returns what it was."""
        return self._store.delete_session(workspace, session)

    def list_chunks(
        self, workspace: str, session: str, *, archived: bool = False, after: int = -1, limit: int = 100
    ) -> tuple[Chunk, ...]:
        """Return chunks by position; archived ones without text, which is not readable until they are restored."""
        found = self._store.list_chunks(workspace, session, archived=archived, after=after, limit=limit)
        return tuple(replace(it, text="") for it in found) if archived else found

    def add_chunks(
        self, workspace: str, session: str, given: Sequence[GivenChunk], *, counter: str = "words"
    ) -> ChunksAdded:
        """Add chunks in the order given, with the premises that they name; all or none."""
        chunks = chunks_of(given, counter=counter_of(counter))
        digests = {it.id: digest(it.text) for it in chunks}
        return self._store.add_chunks(workspace, session, chunks, digests=digests, premises=declared(given))

    def add_premises(self, workspace: str, session: str, given: Sequence[Premise]) -> PremisesAdded:
        """Add premises between chunks of the session, all or none."""
        return self._store.add_premises(workspace, session, check_premises(given))

    def list_premises(self, workspace: str, session: str, chunks: Sequence[str]) -> tuple[Premise, ...]:
        """Return what these chunks rest on, by chunk, then premise, with beliefs as far as they were written."""
        return self._store.list_premises(workspace, session, chunks)

    def restore(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Restore archived chunks to their positions. Raises `UnknownChunks` for an id that is not archived."""
        return _all(session, ids, self._store.restore_chunks(workspace, session, ids))

    def purge(self, workspace: str, session: str, ids: Sequence[str], *, tombstones: bool = False) -> tuple[str, ...]:
        """Delete chunks, live or archived. With `tombstones` their ids are not added again, for example by an import of
        the same log."""
        if tombstones:
            now = self._clock()
            stones = [Tombstone(chunk=key, digest="", reason="purged", at=now) for key in dict.fromkeys(ids)]
            self._store.load_chunks(workspace, session, [], tombstones=stones)
        return _all(session, ids, self._store.purge_chunks(workspace, session, ids))

    def retain(
        self,
        workspace: str,
        session: str,
        query: str,
        *,
        budget_tokens: float,
        policy: str = "default",
        encoder: str | None = None,
        orphans: Orphans = "warn",
        explain: bool = False,
        apply: bool = False,
        tombstones: bool = False,
        pairs: bool = True,
        ids_only: bool = False,
        may_write: bool = True,
        stored: bool = False,
    ) -> Retained:
        """Return what to keep of the session for this query. With `apply`, archive the evicted chunks; else change
        nothing.

        `encoder` None: the neural one if there is one, else `hashing`. `ids_only`: without the kept chunks themselves.
        `pairs` False: calls may be kept without their results.
        `may_write` False: new vectors are not stored. `stored`: published policies take their scores from the store's
        live set, with the same answer. Raises `InvalidInput` for an empty query, an invalid budget, and an unknown
        policy or encoder.
        """
        budget, arm = check_budget(budget_tokens), parse_arm(policy if pairs else without_pairs(policy))
        _check_query(query)
        chosen = self._encoder_name(encoder)
        cached = self._cache.take(workspace, session, encoder=chosen, may_write=may_write)
        found = retain(
            cached.core,
            query,
            budget_tokens=budget,
            policy=arm,
            orphans=orphans,
            trace_limit=TRACED if explain else 0,
            live=stored_liveness(self._store, workspace, cached.contents) if stored else None,
        )
        degraded = (self._missing,) if encoder is None and chosen == "hashing" and self._missing else ()
        answer = named(
            found,
            cached.contents.ids,
            lost=cached.contents.lost,
            policy=arm.name,
            encoder=chosen,
            degraded=degraded,
        )
        if not ids_only:
            answer = replace(answer, chunks=chunks_at(cached.contents, found.reading_order))
        return self._applied(workspace, session, answer, cached, tombstones=tombstones) if apply else answer

    def live(
        self,
        workspace: str,
        session: str,
        *,
        roots: Sequence[str] = (),
        query: str | None = None,
        policy: str = "dsgc_roots",
        depth: int | None = None,
        may_write: bool = True,
    ) -> LiveSet:
        """Return the chunks within `depth` hops (1 to 8; None: the policy's) of the given roots, or of the roots that
        the policy finds for a query. Raises `InvalidInput` unless exactly one of the two is given.
        """
        if bool(roots) == (query is not None):
            found = "both" if roots else "neither"
            raise InvalidInput("roots or a query for a live set", found=found, hint="Give ids of chunks, or a query")
        if query is None:
            return live_from_roots(self._store, workspace, session, roots, policy=policy, depth=depth)
        _check_query(query)
        cached = self._cache.take(workspace, session, encoder=self._encoder_name(None), may_write=may_write)
        return live_from_query(self._store, workspace, cached, query, policy=policy, depth=depth)

    def note_beliefs(self, workspace: str, session: str, answer: Retained) -> int:
        """Write the beliefs behind an answer to the graph, with reasons. Returns how many premises were written."""
        if not parse_arm(answer.policy).policy.believes or answer.applied is not None:
            return 0
        encoder: EncoderName = next(name for name in ENCODERS if name == answer.encoder)
        try:
            cached = self._cache.take(workspace, session, encoder=encoder, may_write=False)
        except UnknownSession:
            return 0
        return self._beliefs.write(workspace, cached)

    def _encoder_name(self, name: str | None) -> EncoderName:
        if name is None:
            return "hashing" if self._encoder is None else "neural"
        known = next((it for it in ENCODERS if it == name), None)
        if known is None:
            raise InvalidInput(f"encoder {name!r}", found="no such encoder", hint=f"One of {', '.join(ENCODERS)}")
        return known

    def _applied(
        self, workspace: str, session: str, answer: Retained, cached: CachedSession, *, tombstones: bool
    ) -> Retained:
        now = self._clock()
        evicted = set(answer.evicted)
        stones = [
            Tombstone(chunk=key, digest=digest(text), reason=f"evicted by {answer.policy}", at=now)
            for key, text in zip(cached.contents.ids, cached.contents.texts, strict=True)
            if tombstones and key in evicted
        ]
        archived = self._store.evict_chunks(workspace, session, answer.evicted, at=now, tombstones=stones)
        return replace(answer, applied=Applied(archived=archived, tombstones=tombstones))


def _check_query(query: str) -> None:
    fault = fault_in(query, limit=QUERY_CHARACTERS, layout=True)
    if fault or not says_something(query):
        raise InvalidInput("the query", found=fault or "it says nothing", hint="Say what the next step is about")


def _all(session: str, ids: Sequence[str], done: tuple[str, ...]) -> tuple[str, ...]:
    if missing := tuple(sorted(set(ids) - set(done))):
        raise UnknownChunks(session, missing)
    return done
