"""The catalogue in Neo4j: tables, attributes, and references between attributes."""

from collections.abc import Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import Any

from neo4j import Record

from graph.catalogue import CatalogueSaved, DataObject, JoinPath, ObjectKind, ObjectsRemoved, Reference, first_paths
from graph.embeddings import Embeddings
from graph.errors import StaleStamp, UnknownObjects
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import (
    OBJECT,
    check_stored_width,
    check_whole,
    distinct,
    embedding_rows,
    sort_key,
    stamp_of,
    whole_pairs,
)
from graph.workspaces import Stamp

_Step = tuple[Sequence[dict[str, Any]], Sequence[Reference], Sequence[Reference], Sequence[str]]
"""What one run of the query writes: objects, references added, references dropped, ids gone."""


class CatalogueQueries:
    """See `graph.catalogue.Catalogue`."""

    connection: Connection

    def save_objects(
        self,
        workspace: str,
        objects: Sequence[DataObject],
        *,
        references: Sequence[Reference] = (),
        dropped_references: Sequence[Reference] = (),
        gone: Sequence[str] = (),
        embeddings: Embeddings | None = None,
    ) -> CatalogueSaved:
        rows = self._object_rows(objects, embeddings=embeddings)
        batches = self.connection.batches
        *firsts, last = batches(rows)
        steps: list[_Step] = [(first, (), (), ()) for first in firsts]
        rest: Any = zip_longest(
            [last],
            batches(sorted(set(references))),
            batches(sorted(set(dropped_references) - set(references))),
            batches(distinct(gone)),
            fillvalue=(),
        )
        steps += rest

        def save(run: Run) -> CatalogueSaved:
            version: int | None = None
            unknown: set[str] = set()
            before: dict[str, bool] = {}
            after: dict[str, bool] = {}
            for batch, added, dropped, went in steps:
                row = run(
                    "save_objects",
                    workspace=workspace,
                    version=version,
                    objects=batch,
                    references=[list(pair) for pair in added],
                    dropped=[list(pair) for pair in dropped],
                    gone=went,
                    model=None if embeddings is None else embeddings.model,
                )
                if version is None:
                    check_stored_width(embeddings, stored=row["width"])
                unknown.update(row["unknown"])
                for memory, was, now in row["memories"]:
                    before.setdefault(memory, was)
                    after[memory] = now
                version = row["base"]
            if unknown:
                raise UnknownObjects(workspace, tuple(sorted(unknown)))
            return CatalogueSaved(
                stamp=stamp_of(row),
                suspended=tuple(sorted(m for m, now in after.items() if now and not before[m])),
                restored=tuple(sorted(m for m, now in after.items() if before[m] and not now)),
            )

        return self.connection.transact(save, mode="write", asked="save_objects")

    def show_objects(self, workspace: str, ids: Sequence[str]) -> tuple[DataObject, ...]:
        return self.connection.read("show_objects", _objects, workspace=workspace, ids=distinct(ids))

    def list_objects(
        self,
        workspace: str,
        *,
        kind: ObjectKind | None = None,
        containing: Sequence[str] = (),
        tables: Sequence[str] | None = None,
        source: str | None = None,
        gone: bool | None = False,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[DataObject, ...]:
        return self.connection.read(
            "list_objects",
            _objects,
            workspace=workspace,
            kind=kind,
            containing=list(containing),
            tables=None if tables is None else distinct(tables),
            source=source,
            gone=gone,
            after=sort_key(after or ""),
            limit=limit,
        )

    def list_references(self, workspace: str, ids: Sequence[str]) -> tuple[Reference, ...]:
        return self.connection.read(
            "list_references",
            lambda row: tuple(sorted(whole_pairs(row["pairs"]))),
            workspace=workspace,
            ids=distinct(ids),
        )

    def join_paths(self, workspace: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
        def understand(row: Record) -> tuple[JoinPath, ...]:
            joints = row["joints"]
            check_whole(*(end for joint in joints for end in joint))
            return first_paths(tables, ((t, u, (start, end)) for t, u, start, end in joints))

        return self.connection.read("join_paths", understand, workspace=workspace, tables=distinct(tables))

    def remove_objects(self, workspace: str, ids: Sequence[str], *, stamp: Stamp | None = None) -> ObjectsRemoved:
        def remove(run: Run) -> ObjectsRemoved:
            version: int | None = None
            removed: list[str] = []
            suspended: list[str] = []
            for batch in self.connection.batches(distinct(ids)):
                seen = stamp if version is None else None  # the first batch moves the version that the others find
                row = run(
                    "remove_objects",
                    workspace=workspace,
                    version=version,
                    ids=batch,
                    incarnation=None if seen is None else seen.incarnation,
                    seen=None if seen is None else seen.catalogue_version,
                )
                if not row["current"]:
                    raise StaleStamp(workspace)
                version = row["base"]
                removed += row["ids"]
                suspended += row["memories"]
            return ObjectsRemoved(ids=tuple(sorted(removed)), suspended=tuple(sorted(suspended)))

        return self.connection.transact(remove, mode="write", asked="remove_objects")

    def _object_rows(self, objects: Sequence[DataObject], *, embeddings: Embeddings | None) -> list[dict[str, Any]]:
        """Return one row for each object, the last of an id, tables first: an attribute finds its table there."""
        vectors = embedding_rows(embeddings)
        last = {o.id: o for o in objects}.values()
        rows = []
        for o in sorted(last, key=lambda o: (o.kind != "table", o.id)):
            embedding = self.connection.embedding(vectors.get(o.id))
            rows.append(OBJECT.write(o, sort_key=sort_key(o.id), **embedding))
        return rows


def _objects(row: Record) -> tuple[DataObject, ...]:
    return tuple(sorted(map(OBJECT.read, row["objects"]), key=attrgetter("id")))
