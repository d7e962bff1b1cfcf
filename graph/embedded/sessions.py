"""Sessions in the embedded store: made, shown, listed, read as arrays, and deleted with all they hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import islice

from graph.embedded.changes import Kind, SessionRecord, key_of
from graph.embedded.session_state import SessionState
from graph.embedded.transactions import Core, Draft
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.errors import UnknownSession
from graph.session_contents import SessionContents
from graph.sessions import Session


class SessionOperations(Core):
    """See `graph.sessions.Sessions`."""

    def save_session(
        self, workspace: str, session: str, *, incarnation: str, at: datetime, added: int = 0
    ) -> tuple[Session, bool]:
        with self._writing(workspace) as (graph, draft):
            known = graph.sessions.get(session)
            if known is None:
                record = SessionRecord(incarnation=incarnation, created_at=at, added=added)
            else:
                old = known.record
                record = replace(old, created_at=min(at, old.created_at), added=max(added, old.added))
            if known is None or record != known.record:
                draft.put(Kind.SESSION, session, record)
        with self._reading(workspace) as graph:
            return state_of(graph, session).summary(), known is None

    def show_session(self, workspace: str, session: str) -> Session:
        with self._reading(workspace) as graph:
            return state_of(graph, session).summary()

    def list_sessions(self, workspace: str, *, after: str | None = None, limit: int = 100) -> tuple[Session, ...]:
        with self._reading(workspace) as graph:
            return tuple(graph.sessions[key].summary() for key in islice(graph.session_ids.after(after), limit))

    def delete_session(self, workspace: str, session: str) -> Session:
        with self._writing(workspace) as (graph, draft):
            state = state_of(graph, session)
            before = state.summary()
            draft.drop(Kind.PREMISE, (key_of(session, *pair) for pair in _pairs(state)))
            draft.drop(Kind.CHUNK_VECTOR, (key_of(session, key) for key in state.vectors))
            draft.drop(Kind.CHUNK, (key_of(session, key) for key in state.chunks))
            draft.drop(Kind.TOMBSTONE, (key_of(session, key) for key in state.tombstones))
            draft.drop(Kind.SESSION, [session])
            return before

    def read_session(self, workspace: str, session: str) -> SessionContents:
        with self._reading(workspace) as graph:
            return state_of(graph, session).contents()

    def read_added(
        self,
        workspace: str,
        session: str,
        *,
        since: SessionContents,  # noqa: ARG002 - all is at hand
    ) -> SessionContents:
        return self.read_session(workspace, session)

    @contextmanager
    def _changing(self, workspace: str, session: str) -> Iterator[tuple[SessionState, Draft]]:
        """A session and a draft; whoever changes it calls `move`."""
        with self._writing(workspace) as (graph, draft):
            yield state_of(graph, session), draft


def state_of(graph: WorkspaceGraph, session: str) -> SessionState:
    state = graph.sessions.get(session)
    if state is None:
        raise UnknownSession(graph.name, session)
    return state


def move(state: SessionState, draft: Draft, *, added: int | None = None) -> SessionRecord:
    """The session's version grows with this write, once."""
    old = state.record
    record = replace(old, version=old.version + 1, added=old.added if added is None else added)
    draft.put(Kind.SESSION, state.id, record)
    return record


def _pairs(state: SessionState) -> Iterator[tuple[str, str]]:
    return ((it.chunk, it.premise) for chunk in state.chunks for it in state.premises_of(chunk))
