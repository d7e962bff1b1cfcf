"""The catalogue in Neo4j: tables, attributes, and references between attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from graph.catalogue import CatalogueSaved, DataObject, JoinPath, ObjectKind, ObjectsRemoved, Reference, first_paths
from graph.embeddings import Embeddings
from graph.errors import StaleStamp, UnknownObjects
from graph.neo4j.connection import Connection, Run
from graph.neo4j.mapping import (
    batches,
    check_stored_width,
    check_whole,
    distinct,
    embedding_rows,
    object_of,
    sort_key,
    stamp_of,
    whole_pairs,
)
from graph.neo4j.workspaces import one
from graph.workspaces import Stamp

WRITE_BATCH = 1_000

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
        *firsts, last = list(batches(rows, size=WRITE_BATCH)) or [[]]
        steps: list[_Step] = [(first, (), (), ()) for first in firsts]
        rest: Any = zip_longest(
            [last],
            batches(sorted(set(references)), size=WRITE_BATCH),
            batches(sorted(set(dropped_references) - set(references)), size=WRITE_BATCH),
            batches(distinct(gone), size=WRITE_BATCH),
            fillvalue=(),
        )
        steps += rest

        def save(run: Run) -> CatalogueSaved:
            version: int | None = None
            unknown: set[str] = set()
            before: dict[str, bool] = {}
            after: dict[str, bool] = {}
            for batch, added, dropped, went in steps:
                row = one(
                    run(
                        "save_objects",
                        workspace=workspace,
                        version=version,
                        objects=batch,
                        references=[list(pair) for pair in added],
                        dropped=[list(pair) for pair in dropped],
                        gone=went,
                        model=None if embeddings is None else embeddings.model,
                    ),
                    workspace,
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
        return self.connection.read(
            "show_objects", lambda rows: _objects(one(rows, workspace)), workspace=workspace, ids=distinct(ids)
        )

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
            lambda rows: _objects(one(rows, workspace)),
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
            lambda rows: tuple(sorted(whole_pairs(one(rows, workspace)["pairs"]))),
            workspace=workspace,
            ids=distinct(ids),
        )

    def join_paths(self, workspace: str, tables: Sequence[str]) -> tuple[JoinPath, ...]:
        def understand(rows: list[Any]) -> tuple[JoinPath, ...]:
            joints = one(rows, workspace)["joints"]
            check_whole(*(end for joint in joints for end in joint))
            return first_paths(tables, ((t, u, (start, end)) for t, u, start, end in joints))

        return self.connection.read("join_paths", understand, workspace=workspace, tables=distinct(tables))

    def remove_objects(self, workspace: str, ids: Sequence[str], *, stamp: Stamp | None = None) -> ObjectsRemoved:
        def remove(run: Run) -> ObjectsRemoved:
            version: int | None = None
            removed: list[str] = []
            suspended: list[str] = []
            for batch in list(batches(distinct(ids), size=WRITE_BATCH)) or [[]]:
                seen = stamp if version is None else None  # the first batch moves what the others meet
                row = one(
                    run(
                        "remove_objects",
                        workspace=workspace,
                        version=version,
                        ids=batch,
                        incarnation=None if seen is None else seen.incarnation,
                        seen=None if seen is None else seen.catalogue_version,
                    ),
                    workspace,
                )
                if not row["current"]:
                    raise StaleStamp(workspace)
                version = row["base"]
                removed += row["ids"]
                suspended += row["memories"]
            return ObjectsRemoved(ids=tuple(sorted(removed)), suspended=tuple(sorted(suspended)))

        return self.connection.transact(remove, mode="write", asked="remove_objects")

    def _object_rows(self, objects: Sequence[DataObject], *, embeddings: Embeddings | None) -> list[dict[str, Any]]:
        """One row for each object, the last of an id, tables first: an attribute finds its table there."""
        vectors = embedding_rows(embeddings)
        distinct_objects = {o.id: o for o in objects}.values()
        rows = []
        for o in sorted(distinct_objects, key=lambda o: (o.kind != "table", o.id)):
            row: dict[str, Any] = {
                "id": o.id,
                "sort_key": sort_key(o.id),
                "kind": o.kind,
                "name": o.name,
                "description": o.description,
                "table": o.table,
                "data_type": o.data_type,
                "source": o.source,
                "folded": o.folded,
                "embedding": None,
            }
            if embeddings is not None and o.id in vectors:
                vector, digest = vectors[o.id]
                row |= {
                    "embedding": self.connection.vector(vector),
                    "embedding_digest": digest,
                }
            rows.append(row)
        return rows


def _objects(row: Mapping[str, Any]) -> tuple[DataObject, ...]:
    return tuple(sorted((object_of(found) for found in row["objects"]), key=lambda o: o.id))
