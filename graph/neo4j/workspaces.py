"""Workspaces in Neo4j, and the replies kept for idempotency keys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from graph.errors import StaleStamp, UnknownWorkspace
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import check_whole, instant, stamp_of
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
        return self.connection.read("show_workspace", lambda rows: _workspace(one(rows, name)), workspace=name)

    def show_stamp(self, name: str) -> Stamp:
        return self.connection.read("show_stamp", lambda rows: stamp_of(one(rows, name)), workspace=name)

    def list_workspaces(self) -> tuple[Workspace, ...]:
        found = self.connection.read("list_workspaces", lambda rows: [_workspace(row) for row in rows])
        return tuple(sorted(found, key=lambda workspace: workspace.name))

    def delete_workspace(self, name: str, *, stamp: Stamp | None = None) -> None:
        rows = self.connection.run(
            "delete_workspace",
            workspace=name,
            incarnation=None if stamp is None else stamp.incarnation,
            seen=None if stamp is None else stamp.version,
        )
        if not one(rows, name)["leaving"]:
            raise StaleStamp(name)
        self._purge(name)

    def claim_reply(self, workspace: str, reply: Reply, *, keep_since: datetime) -> Reply | None:
        row = one(
            self.connection.run(
                "claim_reply",
                workspace=workspace,
                key=reply.key,
                request=reply.request,
                status=reply.status,
                body=reply.body,
                at=reply.at,
                keep_since=keep_since,
            ),
            workspace,
        )
        there = row["there"]
        return None if there is None else Reply(**{**there, "at": instant(there["at"])})

    def save_reply(self, workspace: str, reply: Reply) -> None:
        rows = self.connection.run(
            "save_reply",
            workspace=workspace,
            key=reply.key,
            request=reply.request,
            status=reply.status,
            body=reply.body,
            at=reply.at,
        )
        one(rows, workspace)

    def drop_reply(self, workspace: str, key: str) -> None:
        one(self.connection.run("drop_reply", workspace=workspace, key=key), workspace)

    def _purge(self, name: str) -> None:
        for query in ("purge_workspace", "end_workspace"):
            while True:
                rows = self.connection.run(query, workspace=name, limit=PURGE_BATCH)
                if not rows or not rows[0]["purged"]:
                    break


def one(rows: list[Any], workspace: str) -> Any:
    """The one row that every query returns that found its workspace."""
    if not rows:
        raise UnknownWorkspace(workspace)
    return rows[0]


class _StillLeaving(Exception):
    """An earlier workspace of the name is still being deleted: raised to roll back, and to help finish that first."""


def _create(run: Run, name: str, *, incarnation: str, at: datetime) -> Mapping[str, Any]:
    row: Mapping[str, Any] = run("create_workspace", workspace=name, incarnation=incarnation, at=at)[0]
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
