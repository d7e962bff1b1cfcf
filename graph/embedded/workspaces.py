"""Workspaces in the embedded store, and the replies kept for idempotency keys."""

from dataclasses import replace
from datetime import datetime
from itertools import takewhile

from graph.embedded.kinds import Change, form_kind
from graph.embedded.transactions import Core
from graph.embedded.workspace_graph import WORKSPACE, WorkspaceRecord, keep_timed
from graph.errors import StaleStamp
from graph.plain import Form
from graph.workspaces import Reply, Stamp, Workspace

REPLY = form_kind(
    Form(Reply),
    "key",
    number=10,
    name="reply",
    apply=lambda graph, change: keep_timed(graph.replies, graph.reply_times, change),
)


class WorkspaceOperations(Core):
    """See `graph.workspaces.Workspaces`."""

    def create_workspace(self, name: str, *, incarnation: str, at: datetime) -> tuple[Workspace, bool]:
        with self._exclusively():
            known = self._graphs.get(name)
            if known is not None:
                if at < known.record.created_at:
                    older = replace(known.record, created_at=at)
                    self._commit([Change(name, WORKSPACE, "", older.version, older)])
                return known.summary(), False
            record = WorkspaceRecord(incarnation=incarnation, created_at=at)
            self._commit([Change(name, WORKSPACE, "", 0, record)])
            return self._graphs[name].summary(), True

    def show_workspace(self, name: str) -> Workspace:
        with self._reading(name) as graph:
            return graph.summary()

    def show_stamp(self, name: str) -> Stamp:
        with self._reading(name) as graph:
            return graph.stamp

    def list_workspaces(self) -> tuple[Workspace, ...]:
        with self._lock:
            self._catch_up()
            return tuple(graph.summary() for _, graph in sorted(self._graphs.items()))

    def delete_workspace(self, name: str, *, stamp: Stamp | None = None) -> None:
        with self._writing(name) as (graph, draft):
            if stamp not in (None, graph.stamp):
                raise StaleStamp(name)
            draft.drop(WORKSPACE, [""])

    def claim_reply(self, workspace: str, reply: Reply, *, keep_since: datetime) -> Reply | None:
        with self._writing(workspace) as (graph, draft):
            known = graph.replies.get(reply.key)
            if known is not None and known.at >= keep_since:
                return known
            older = takewhile(lambda it: it[0] < keep_since, graph.reply_times.after(None))
            draft.drop(REPLY, (key for _, key in older if key != reply.key))
            draft.put(REPLY, reply.key, reply)
            return None

    def save_reply(self, workspace: str, reply: Reply) -> None:
        with self._writing(workspace) as (_, draft):
            draft.put(REPLY, reply.key, reply)

    def drop_reply(self, workspace: str, key: str) -> None:
        with self._writing(workspace) as (graph, draft):
            if key in graph.replies:
                draft.drop(REPLY, [key])
