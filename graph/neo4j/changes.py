"""What changed in Neo4j since a version, and all ids, each packed into one record."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from graph.changes import Changes, Listing
from graph.neo4j.connection import Connection
from graph.neo4j.mapping import OBJECT, stamp_of, whole_pairs


class ChangeQueries:
    """See `graph.changes.ChangeFeed`."""

    connection: Connection

    def changes(self, workspace: str, *, since: int) -> Changes:
        return self.connection.read_settled("changes", _changes, workspace=workspace, since=since)

    def list_ids(self, workspace: str) -> Listing:
        return self.connection.read_settled("list_ids", _listing, workspace=workspace)


def _changes(row: Mapping[str, Any]) -> Changes:
    objects = [OBJECT.read(dict(zip(OBJECT.names, found, strict=True))) for found in row["objects"]]
    references = row["references"]
    return Changes(
        stamp=stamp_of(row),
        objects=tuple(sorted(objects, key=attrgetter("id"))),
        references=None if references is None else tuple(sorted(whole_pairs(references))),
        intents=tuple(sorted(whole_pairs(row["intents"]))),
        removed=row["removed"],
    )


def _listing(row: Mapping[str, Any]) -> Listing:
    return Listing(objects=tuple(sorted(row["objects"])), intents=tuple(sorted(row["intents"])))
