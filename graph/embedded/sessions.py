"""Sessions in the embedded store: made, shown, listed, read as arrays, and deleted with all they hold."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice

from graph.embedded.chunks import CHUNK, CHUNK_VECTOR, TOMBSTONE
from graph.embedded.kinds import key_of
from graph.embedded.premises import PREMISE
from graph.embedded.session_changes import SESSION, state_of
from graph.embedded.session_state import SessionRecord, SessionState
from graph.embedded.transactions import Core
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
                draft.put(SESSION, session, record)
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
            draft.drop(PREMISE, (key_of(session, *pair) for pair in _pairs(state)))
            draft.drop(CHUNK_VECTOR, (key_of(session, key) for key in state.vectors))
            draft.drop(CHUNK, (key_of(session, key) for key in state.chunks))
            draft.drop(TOMBSTONE, (key_of(session, key) for key in state.tombstones))
            draft.drop(SESSION, [session])
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


def _pairs(state: SessionState) -> Iterator[tuple[str, str]]:
    return ((it.chunk, it.premise) for chunk in state.chunks for it in state.premises_of(chunk))
