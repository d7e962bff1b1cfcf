"""Random histories of two sessions on two stores at once: every operation on sessions, chunks and premises, right and
wrong. What both sides tell is held against one another in `twins`; here are what is drawn, and the steps.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any, ClassVar, get_args

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from graph.chunks import Chunk, Tombstone
from graph.errors import UnknownSession
from graph.premises import PREMISE_GRADES, Premise, Spread
from graph.session_contents import SessionContents
from graph.store import Store
from kit.exports import exported, imported
from kit.histories.twins import Twins
from kit.values.samples import AT, VECTORS, embeddings
from kit.values.sessions import digests

KEYS = ("a", "b", "客'/", "\U0001f4dc", "\ufb01")
TEXTS = ("one", "two", "многое")
SESSIONS = ("s", "会/1")
NOWHERE = "nix"

sessions = st.sampled_from((*SESSIONS, *SESSIONS, *SESSIONS, NOWHERE))
some_keys = st.lists(st.sampled_from((*KEYS, NOWHERE)), max_size=4)
days = st.sampled_from((-1, 0, 1)).map(lambda n: AT + timedelta(days=n))
shares = st.sampled_from((0.0, 0.25, 1.0))
chunks = st.builds(
    Chunk,
    id=st.sampled_from(KEYS),
    text=st.sampled_from((*TEXTS[:1] * 4, *TEXTS)),
    tokens=st.integers(1, 3),
    kind=st.sampled_from(("note", "note", "message", "call")),
    role=st.sampled_from((None, None, "user")),
    call_id=st.sampled_from((None, None, "call/1")),
    pinned=st.booleans(),
    importance=shares,
)
copied = st.builds(replace, chunks, position=st.integers(-1, 6), archived_at=st.none() | days)
stones = st.builds(
    lambda key, text, at: Tombstone(
        chunk=key, digest=digests([Chunk(id=key, text=text, tokens=1)])[key], reason="r", at=at
    ),
    st.sampled_from((*KEYS, NOWHERE)),
    st.sampled_from(TEXTS),
    days,
)
premises = st.builds(
    Premise,
    chunk=st.sampled_from((*KEYS * 4, NOWHERE)),
    premise=st.sampled_from((*KEYS * 4, NOWHERE)),
    grade=st.sampled_from(PREMISE_GRADES),
    weight=shares,
    belief=st.none() | shares,
).map(lambda it: it if it.belief is None else replace(it, reasons=("it comes earlier",)))
values = st.dictionaries(st.sampled_from((*KEYS, NOWHERE)), st.sampled_from((0.1, 0.2, 0.7)), max_size=5)


def distinct(of: Any, key: Any) -> Any:
    return st.lists(of, max_size=4, unique_by=key)


class SessionHistory(RuleBasedStateMachine):
    """A history of a workspace with a few sessions; the class made by `on` knows where."""

    twins: ClassVar[Twins]
    name: ClassVar[str]

    @classmethod
    def on(cls, twins: Twins) -> type[SessionHistory]:
        return type("SessionHistory", (cls,), {"twins": twins, "name": f"t-{uuid.uuid4().hex}"})

    def __init__(self) -> None:
        super().__init__()
        self.last: dict[str, list[object]] = {}
        self.held: dict[tuple[int, str], SessionContents] = {}

    @initialize(given=distinct(chunks, lambda it: it.id), linked=st.lists(premises, max_size=6))
    def begin(self, given: list[Chunk], linked: list[Premise]) -> None:
        for step in (
            lambda store: store.delete_workspace(self.name),
            lambda store: store.create_workspace(self.name, incarnation="first", at=AT),
            lambda store: store.save_session(self.name, "s", incarnation="first", at=AT),
        ):
            self.twins.do(self.name, step)
        whole = [replace(it, text="one") for it in given]
        self.do("s", lambda store: store.add_chunks(self.name, "s", whole, digests=digests(whole)))
        known = {it.id for it in given}
        own = [it for it in linked if {it.chunk, it.premise} <= known]
        self.do("s", lambda store: store.add_premises(self.name, "s", own))

    def do(self, session: str, step: Any) -> None:
        """Both answer the same, and the session's version moves on both or on neither."""
        before = self.last.get(session, [None, None])
        self.twins.do(self.name, step)
        self.last[session] = after = [self.version(side.store, session) for side in self.twins.sides]
        moved = [one != other for one, other in zip(before, after, strict=True)]
        assert moved[0] == moved[1]

    def ask(self, question: Any) -> None:
        self.twins.ask(lambda side: question(side.store))

    def read_on(self, store: Store, session: str) -> SessionContents:
        key = (id(store), session)
        held = self.held.get(key) or store.read_session(self.name, session)
        self.held[key] = found = store.read_added(self.name, session, since=held)
        return found

    def version(self, store: Store, session: str) -> object:
        try:
            it = store.show_session(self.name, session)
        except UnknownSession:
            return None
        return it.incarnation, it.version

    def teardown(self) -> None:
        def everything(store: Store) -> list[object]:
            found: list[object] = []
            for it in store.list_sessions(self.name):
                found += [it, store.read_session(self.name, it.id), store.show_chunk_embeddings(self.name, it.id)]
            return found

        self.ask(everything)
        self.ask(lambda store: exported(store, self.name))

    @rule(session=sessions, at=days, added=st.integers(0, 4), data=st.data())
    def save_session(self, session: str, at: Any, added: int, data: st.DataObject) -> None:
        made = data.draw(st.sampled_from(("first", "second")))
        self.do(
            session,
            lambda store: store.save_session(self.name, session, incarnation=made, at=at, added=added),
        )

    @rule(session=st.sampled_from(SESSIONS))
    def delete_session(self, session: str) -> None:
        self.held.clear()  # the next session of the id may get the same incarnation here, as it never does in service
        self.do(session, lambda store: store.delete_session(self.name, session))
        if session == "s":
            self.do("s", lambda store: store.save_session(self.name, "s", incarnation="anew", at=AT))

    @rule(after=st.none() | st.sampled_from(SESSIONS), limit=st.integers(1, 2))
    def list_sessions(self, after: str | None, limit: int) -> None:
        self.ask(lambda store: store.list_sessions(self.name, after=after, limit=limit))

    @rule(session=sessions)
    def read_session(self, session: str) -> None:
        """As if nothing was known of it, and by way of what was read before."""
        self.ask(lambda store: store.read_session(self.name, session))
        self.ask(lambda store: self.read_on(store, session))

    @rule(session=sessions, given=distinct(chunks, lambda it: it.id), linked=st.lists(premises, max_size=2))
    def add_chunks(self, session: str, given: list[Chunk], linked: list[Premise]) -> None:
        own = digests(given)
        self.do(session, lambda store: store.add_chunks(self.name, session, given, digests=own, premises=linked))

    @rule(session=sessions, given=distinct(copied, lambda it: it.id), left=distinct(stones, lambda it: it.chunk))
    def load_chunks(self, session: str, given: list[Chunk], left: list[Tombstone]) -> None:
        self.do(session, lambda store: store.load_chunks(self.name, session, given, tombstones=left))

    @rule(session=sessions, archived=st.booleans(), after=st.integers(-1, 3), limit=st.integers(1, 3))
    def list_chunks(self, session: str, archived: bool, after: int, limit: int) -> None:
        self.ask(lambda store: store.list_chunks(self.name, session, archived=archived, after=after, limit=limit))
        self.ask(lambda store: store.list_tombstones(self.name, session, after="b", limit=limit))

    @rule(session=sessions, ids=some_keys, at=days, left=distinct(stones, lambda it: it.chunk))
    def evict_chunks(self, session: str, ids: list[str], at: Any, left: list[Tombstone]) -> None:
        self.do(session, lambda store: store.evict_chunks(self.name, session, ids, at=at, tombstones=left))

    @rule(session=sessions, ids=some_keys)
    def restore_chunks(self, session: str, ids: list[str]) -> None:
        self.do(session, lambda store: store.restore_chunks(self.name, session, ids))

    @rule(session=sessions, ids=st.lists(st.sampled_from((*KEYS, NOWHERE)), max_size=2))
    def purge_chunks(self, session: str, ids: list[str]) -> None:
        self.do(session, lambda store: store.purge_chunks(self.name, session, ids))

    @rule(
        session=sessions,
        vectors=st.dictionaries(
            st.sampled_from((*KEYS, NOWHERE)), st.sampled_from(sorted(VECTORS)), min_size=1, max_size=3
        ),
        model=st.sampled_from(("m", "n")),
        ids=st.none() | some_keys,
    )
    def save_chunk_embeddings(self, session: str, vectors: dict[str, str], model: str, ids: list[str] | None) -> None:
        given = embeddings(vectors, model=model)
        self.do(session, lambda store: store.save_chunk_embeddings(self.name, session, given))
        self.ask(lambda store: store.show_chunk_embeddings(self.name, session, ids=ids))

    @rule(session=sessions, given=st.lists(premises, max_size=4))
    def add_premises(self, session: str, given: list[Premise]) -> None:
        self.do(session, lambda store: store.add_premises(self.name, session, given))

    @rule(session=sessions, given=st.lists(premises, max_size=3))
    def load_premises(self, session: str, given: list[Premise]) -> None:
        self.do(session, lambda store: store.load_premises(self.name, session, given))

    @rule(
        session=sessions, given=st.lists(premises.filter(lambda it: it.belief is not None), max_size=3), ids=some_keys
    )
    def save_beliefs(self, session: str, given: list[Premise], ids: list[str]) -> None:
        self.do(session, lambda store: store.save_beliefs(self.name, session, given))
        self.ask(lambda store: store.list_premises(self.name, session, ids))

    @rule(
        session=sessions,
        relevance=values,
        roots=st.none() | some_keys,
        spread=st.sampled_from(get_args(Spread)),
        factors=st.lists(st.sampled_from((1.0, 0.85, 0.5)), max_size=8),
        depth=st.integers(0, 8),
    )
    def live_set(
        self,
        session: str,
        relevance: dict[str, float],
        roots: list[str] | None,
        spread: Spread,
        factors: list[float],
        depth: int,
    ) -> None:
        given = {"relevance": relevance, "roots": roots, "spread": spread, "factors": factors, "depth": depth}
        self.ask(lambda store: store.live_set(self.name, session, **given, weight=0.5))

    @rule()
    def move_house(self) -> None:
        """Both are emptied, and take in what the reference was."""
        data = exported(self.twins.reference, self.name)
        self.twins.do(self.name, lambda store: store.delete_workspace(self.name))
        self.twins.do(self.name, lambda store: imported(store, data))
        self.ask(lambda store: exported(store, self.name) == data)
        for session in SESSIONS:
            self.last[session] = [self.version(side.store, session) for side in self.twins.sides]

    @rule()
    def restart(self) -> None:
        self.twins.restart()
