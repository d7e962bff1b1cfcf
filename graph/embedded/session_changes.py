"""A session of the embedded store that is read or written to: found by its id, and its version moved."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from graph.embedded.kinds import Change, form_kind
from graph.embedded.session_state import SessionRecord, SessionState, chunk_node, session_node
from graph.embedded.transactions import Draft
from graph.embedded.workspace_graph import WorkspaceGraph
from graph.errors import UnknownSession
from graph.plain import Form


def _apply_session(graph: WorkspaceGraph, change: Change) -> None:
    """What a session holds goes with it. One that was deleted and made again since others looked comes to them as a new
    record, and what it held as so many deletions."""
    known = graph.sessions.get(change.id)
    if change.value is None:
        if known is not None:
            del graph.sessions[change.id]
            graph.session_ids.discard([change.id])
            graph.edges.remove_nodes_from([session_node(change.id), *(chunk_node(change.id, c) for c in known.chunks)])
    elif known is None:
        graph.sessions[change.id] = SessionState(change.id, change.value, graph.edges)
        graph.session_ids.add(change.id)
        graph.edges.add_node(session_node(change.id))
    else:
        known.record = change.value


SESSION = form_kind(Form(SessionRecord), number=20, name="session", apply=_apply_session)


def state_of(graph: WorkspaceGraph, session: str) -> SessionState:
    state = graph.sessions.get(session)
    if state is None:
        raise UnknownSession(graph.name, session)
    return state


@contextmanager
def changing(
    writing: AbstractContextManager[tuple[WorkspaceGraph, Draft]], session: str
) -> Iterator[tuple[SessionState, Draft]]:
    """Open a session of the workspace that is written to; what changes it calls `move`."""
    with writing as (graph, draft):
        yield state_of(graph, session), draft


def move(state: SessionState, draft: Draft, *, added: int | None = None) -> SessionRecord:
    """The session's version grows with this write, once."""
    old = state.record
    record = replace(old, version=old.version + 1, added=old.added if added is None else added)
    draft.put(SESSION, state.id, record)
    return record
