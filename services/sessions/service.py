"""The session service: chunks come in as an agent goes, and before each model call it is asked what to keep.

It checks what it is given, reads sessions through the shelf, and evicts only where it is told to apply an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from graph.chunks import Chunk, ChunksAdded, Tombstone
from graph.errors import InvalidInput, UnknownChunks, UnknownSession
from graph.premises import Premise, PremisesAdded
from graph.sessions import Session
from graph.store import Store
from services.encoders import Encoder
from services.limits import QUERY_CHARACTERS
from services.retention.arms import parse_arm
from services.retention.relevance import ENCODERS, EncoderName
from services.retention.retaining import Orphans, retain
from services.retention.session_arrays import check_budget
from services.sessions.answers import Applied, Retained, named
from services.sessions.belief_writer import BeliefWriter
from services.sessions.cache import CachedSession, SessionCache
from services.sessions.inputs import GivenChunk, check_id, check_premises, chunks_of, declared, digest
from services.sessions.live_sets import LiveSet, live_from_query, live_from_roots, stored_liveness
from services.sessions.token_counters import counter_of
from services.texts import fault_in, says_something

TRACED = 1_000  # evicted chunks that are explained


class SessionService:
    """A session or a chunk that is not there raises `UnknownSession` or `UnknownChunks`."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder | None,
        clock: Callable[[], datetime],
        *,
        missing: str | None = None,
        missed: bool = True,
    ) -> None:
        """`missing`: why there is no encoder, in words. `missed` False: somebody chose that, and no answer says it."""
        self._store = store
        self._encoder = encoder
        self._clock = clock
        self._missing = missing if missed else None
        self._shelf = SessionCache(store, encoder, missing=missing)
        self._beliefs = BeliefWriter(store)

    def create(self, workspace: str, session: str) -> tuple[Session, bool]:
        """The session, and whether this call made it."""
        check_id(session, of="session")
        return self._store.save_session(workspace, session, incarnation=uuid4().hex, at=self._clock())

    def ensure(self, workspace: str, session: str) -> Session:
        try:
            return self._store.show_session(workspace, session)
        except UnknownSession:
            return self.create(workspace, session)[0]

    def show(self, workspace: str, session: str) -> Session:
        return self._store.show_session(workspace, session)

    def list(self, workspace: str, *, after: str | None = None, limit: int = 100) -> tuple[Session, ...]:
        return self._store.list_sessions(workspace, after=after, limit=limit)

    def delete(self, workspace: str, session: str) -> Session:
        """Deletes it with all it holds; what it was."""
        return self._store.delete_session(workspace, session)

    def list_chunks(
        self, workspace: str, session: str, *, archived: bool = False, after: int = -1, limit: int = 100
    ) -> tuple[Chunk, ...]:
        """Chunks by position. Archived ones come without their text: that is out of reach until they are restored."""
        found = self._store.list_chunks(workspace, session, archived=archived, after=after, limit=limit)
        return tuple(replace(it, text="") for it in found) if archived else found

    def add_chunks(
        self, workspace: str, session: str, given: Sequence[GivenChunk], *, counter: str = "words"
    ) -> ChunksAdded:
        """Adds them in the order given, with what each rests on by its own word; all or nothing."""
        chunks = chunks_of(given, counter=counter_of(counter))
        digests = {it.id: digest(it.text) for it in chunks}
        return self._store.add_chunks(workspace, session, chunks, digests=digests, premises=declared(given))

    def add_premises(self, workspace: str, session: str, given: Sequence[Premise]) -> PremisesAdded:
        return self._store.add_premises(workspace, session, check_premises(given))

    def restore(self, workspace: str, session: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Brings archived chunks back to their places. Raises `UnknownChunks` where none of one id is archived."""
        restored = self._store.restore_chunks(workspace, session, ids)
        return _all(session, ids, restored)

    def purge(self, workspace: str, session: str, ids: Sequence[str], *, tombstones: bool = False) -> tuple[str, ...]:
        """Deletes chunks, live or archived, for good; with `tombstones` they are not added again, whatever they say, by
        whoever replays a log."""
        if tombstones:
            now = self._clock()
            stones = [Tombstone(chunk=key, digest="", reason="purged", at=now) for key in dict.fromkeys(ids)]
            self._store.load_chunks(workspace, session, [], tombstones=stones)
        purged = self._store.purge_chunks(workspace, session, ids)
        return _all(session, ids, purged)

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
        may_write: bool = True,
        stored: bool = False,
    ) -> Retained:
        """What to keep of the session for this query. Changes nothing unless `apply`: then what is evicted is archived.

        `encoder` None is the neural one where there is one, else `hashing`. `may_write` False: vectors that are made
        are not kept. `stored`: published policies take their scores from the store's live set, with the same answer.
        Raises `InvalidInput` for a query that says nothing, a budget that is none, and names unknown.
        """
        budget, arm = check_budget(budget_tokens), parse_arm(policy)
        _check_query(query)
        chosen = self._encoder_name(encoder)
        shelved = self._shelf.take(workspace, session, encoder=chosen, may_write=may_write)
        found = retain(
            shelved.core,
            query,
            budget_tokens=budget,
            policy=arm,
            orphans=orphans,
            trace_limit=TRACED if explain else 0,
            live=stored_liveness(self._store, workspace, shelved.contents) if stored else None,
        )
        degraded = (self._missing,) if encoder is None and chosen == "hashing" and self._missing else ()
        answer = named(
            found,
            shelved.contents.ids,
            lost=shelved.contents.lost,
            policy=arm.name,
            encoder=chosen,
            degraded=degraded,
        )
        return self._applied(workspace, session, answer, shelved, tombstones=tombstones) if apply else answer

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
        """What is live in the session: within `depth` hops (1 to 8; None: the policy's) of the roots that are given,
        or of those that the policy finds for a query. Raises `InvalidInput` unless there is one of both.
        """
        if bool(roots) == (query is not None):
            found = "both" if roots else "neither"
            raise InvalidInput("roots or a query for a live set", found=found, hint="Give ids of chunks, or a query")
        if query is None:
            return live_from_roots(self._store, workspace, session, roots, policy=policy, depth=depth)
        _check_query(query)
        shelved = self._shelf.take(workspace, session, encoder=self._encoder_name(None), may_write=may_write)
        return live_from_query(self._store, workspace, shelved, query, policy=policy, depth=depth)

    def note_beliefs(self, workspace: str, session: str, answer: Retained) -> int:
        """Keeps in the graph how far the premises behind an answer are believed, and why; how many it wrote."""
        if not parse_arm(answer.policy).policy.believes or answer.applied is not None:
            return 0
        encoder: EncoderName = next(name for name in ENCODERS if name == answer.encoder)
        try:
            shelved = self._shelf.take(workspace, session, encoder=encoder, may_write=False)
        except UnknownSession:
            return 0
        return self._beliefs.write(workspace, shelved)

    def _encoder_name(self, name: str | None) -> EncoderName:
        if name is None:
            return "hashing" if self._encoder is None else "neural"
        known = next((it for it in ENCODERS if it == name), None)
        if known is None:
            raise InvalidInput(f"encoder {name!r}", found="no such encoder", hint=f"One of {', '.join(ENCODERS)}")
        return known

    def _applied(
        self, workspace: str, session: str, answer: Retained, shelved: CachedSession, *, tombstones: bool
    ) -> Retained:
        now = self._clock()
        evicted = set(answer.evicted)
        stones = [
            Tombstone(chunk=key, digest=digest(text), reason=f"evicted by {answer.policy}", at=now)
            for key, text in zip(shelved.contents.ids, shelved.contents.texts, strict=True)
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
