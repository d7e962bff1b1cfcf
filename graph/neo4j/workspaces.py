"""Workspaces in Neo4j, and the replies kept for idempotency keys."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from neo4j import Record

from graph.errors import StaleStamp, UnknownWorkspace
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import REPLY, check_whole, instant, stamp_of
from graph.workspaces import Reply, Stamp, Workspace

PURGE_BATCH = 2_000  # nodes deleted by one transaction: its memory stays bounded however large the workspace is


class WorkspaceQueries:
    """See `graph.workspaces.Workspaces`."""

    connection: Connection

    def create_workspace(self, name: str, *, incarnation: str, at: datetime) -> tuple[Workspace, bool]:
        while True:
            try:
                row = self.connection.transact(
                    lambda run: _create(run, name, incarnation=incarnation, at=at),
                    mode="write",
                    asked="create_workspace",
                )
                if not row["created"]:
                    return self.show_workspace(name), False
            except _StillLeaving:
                self._purge(name)
            except UnknownWorkspace:  # deleted between the two look-ups
                continue
            else:
                return Workspace(name=name, created_at=instant(row["created_at"]), stamp=stamp_of(row)), True

    def show_workspace(self, name: str) -> Workspace:
        return self.connection.read("show_workspace", _workspace, workspace=name)

    def show_stamp(self, name: str) -> Stamp:
        return self.connection.read("show_stamp", stamp_of, workspace=name)

    def list_workspaces(self) -> tuple[Workspace, ...]:
        found = self.connection.read("list_workspaces", lambda row: [_workspace(each) for each in row["workspaces"]])
        return tuple(sorted(found, key=lambda workspace: workspace.name))

    def delete_workspace(self, name: str, *, stamp: Stamp | None = None) -> None:
        row = self.connection.run(
            "delete_workspace",
            workspace=name,
            incarnation=None if stamp is None else stamp.incarnation,
            seen=None if stamp is None else stamp.version,
        )
        if not row["leaving"]:
            raise StaleStamp(name)
        self._purge(name)

    def claim_reply(self, workspace: str, reply: Reply, *, keep_since: datetime) -> Reply | None:
        row = self.connection.run("claim_reply", workspace=workspace, keep_since=keep_since, **REPLY.write(reply))
        return None if row["stored"] is None else REPLY.read(row["stored"])

    def save_reply(self, workspace: str, reply: Reply) -> None:
        self.connection.run("save_reply", workspace=workspace, **REPLY.write(reply))

    def drop_reply(self, workspace: str, key: str) -> None:
        self.connection.run("drop_reply", workspace=workspace, key=key)

    def _purge(self, name: str) -> None:
        for query in ("purge_workspace", "end_workspace"):
            with suppress(UnknownWorkspace):  # the last of it is gone
                while self.connection.run(query, workspace=name, limit=PURGE_BATCH)["purged"]:
                    pass


class _StillLeaving(Exception):
    """An earlier workspace of the name is still being deleted: raised to roll back, and to finish that first."""


def _create(run: Run, name: str, *, incarnation: str, at: datetime) -> Record:
    row = run("create_workspace", workspace=name, incarnation=incarnation, at=at)
    if row["leaving"]:
        raise _StillLeaving
    return row


def _workspace(row: Mapping[str, Any]) -> Workspace:
    check_whole(row["name"], row["created_at"])
    return Workspace(
        name=row["name"],
        created_at=instant(row["created_at"]),
        stamp=stamp_of(row),
        tables=row["tables"],
        attributes=row["attributes"],
        gone=row["gone"],
        references=row["references"],
        memories=row["memories"],
    )
