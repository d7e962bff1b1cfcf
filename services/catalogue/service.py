"""The catalogue of a workspace: import it in bounded transactions, list, show and remove objects.

Reading files is done by the readers, deciding what an import changes by `planning`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from graph.catalogue import Catalogue, DataObject, ObjectKind, ObjectsRemoved, Reference
from graph.embeddings import Embeddings
from graph.errors import EncoderUnavailable, StaleStamp, UnknownObjects, UnknownWorkspace
from graph.workspaces import Workspaces
from services.catalogue.planning import Plan, Stored, make_plan
from services.catalogue.values import CatalogueImport, Progress, SourceCatalogue
from services.encoders import Encoder
from services.words import fold

T = TypeVar("T")

BATCH = 5_000  # objects and references in one transaction
EMBEDDED_BATCH = 250  # embedding takes 14 ms an object here: work is committed often, and progress is visible
PAGE = 5_000
TRIES = 24  # of deleting under concurrent writes


@dataclass(slots=True)
class _ImportBatch:
    """What one transaction writes."""

    written: list[DataObject] = field(default_factory=list)
    added: list[Reference] = field(default_factory=list)
    dropped: list[Reference] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


class CatalogueStore(Catalogue, Workspaces, Protocol):
    """The ports that the service uses."""


class CatalogueService:
    """Operations on the catalogue. Thread-safe. Each raises `UnknownObjects` for an object that does not exist."""

    def __init__(self, store: CatalogueStore, encoder: Encoder | None) -> None:
        self._store = store
        self._encoder = encoder

    def import_catalogue(
        self,
        workspace: str,
        catalogue: SourceCatalogue,
        *,
        prune: bool = False,
        force: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> CatalogueImport:
        """Import a catalogue item by item; idempotent.

        Columns that a table of the catalogue no longer has are marked gone; tables only with `prune`, those of the
        same source, and with `force` where more than half of them would go (else `Conflict`). Up to BATCH changes are
        one transaction; more are several, tables first, and an interrupted import is resumed by importing again.
        Objects that are new or whose text changed are embedded. `dry_run` writes nothing and reports what would be
        done, memories aside; the workspace need not exist then.
        """
        try:
            stored = self._stored(workspace, catalogue, prune=prune)
        except UnknownWorkspace:
            if not dry_run:
                raise
            stored = Stored(objects={})
        plan = make_plan(catalogue, stored, prune=prune, force=force)
        if dry_run:
            return plan.report
        turned: dict[str, bool] = {}  # memories: restored, or suspended
        degraded: str | None = None
        size = EMBEDDED_BATCH if self._encoder and plan.texts else BATCH
        for number, batch in enumerate(_batches(plan, size=size), start=1):
            embeddings = None
            if self._encoder is not None and degraded is None:
                embeddings, degraded = _embed(self._encoder, batch.written, plan)
            saved = self._store.save_objects(
                workspace,
                batch.written,
                references=batch.added,
                dropped_references=batch.dropped,
                gone=batch.gone,
                embeddings=embeddings,
            )
            turned |= dict.fromkeys(saved.suspended, False) | dict.fromkeys(saved.restored, True)
            if progress is not None:
                progress(min(number * size, plan.size), plan.size)
        return replace(
            plan.report,
            suspended=tuple(sorted(memory for memory, live in turned.items() if not live)),
            restored=tuple(sorted(memory for memory, live in turned.items() if live)),
            degraded=() if degraded is None else (degraded,),
        )

    def has_source(self, workspace: str, source: str) -> bool:
        """True if any table is from this source; False without a workspace."""
        try:
            return bool(self._store.list_objects(workspace, kind="table", source=source, gone=None, limit=1))
        except UnknownWorkspace:
            return False

    def list(
        self,
        workspace: str,
        *,
        kind: ObjectKind | None = None,
        q: str | None = None,
        table: str | None = None,
        source: str | None = None,
        gone: bool | None = False,
        after: str | None = None,
        limit: int = 100,
    ) -> tuple[DataObject, ...]:
        """List at most `limit` objects by id, those after `after`. `q`: each of its words is in the object's text,
        whatever accents and case; `table`: the attributes of this one; `gone` None: live and gone ones."""
        return self._store.list_objects(
            workspace,
            kind=kind,
            containing=fold(q or "").split(),
            tables=None if table is None else [table],
            source=source,
            gone=gone,
            after=after,
            limit=limit,
        )

    def show(self, workspace: str, object_id: str) -> DataObject:
        found = self._store.show_objects(workspace, [object_id])
        if not found:
            raise UnknownObjects(workspace, (object_id,))
        return found[0]

    def references(self, workspace: str, ids: Sequence[str]) -> tuple[Reference, ...]:
        """The references with an end among these attributes."""
        return self._store.list_references(workspace, ids)

    def remove(
        self, workspace: str, ids: Sequence[str], *, check: Callable[[DataObject], None] | None = None
    ) -> ObjectsRemoved:
        """Delete objects, a table with its attributes; none of them if one does not exist, or if `check`, called with
        each as it is when it is deleted, raises."""
        for left in reversed(range(TRIES)):
            stamp = None if check is None else self._store.show_stamp(workspace)
            there = {item.id: item for item in self._store.show_objects(workspace, ids)}
            if unknown := tuple(item for item in dict.fromkeys(ids) if item not in there):
                raise UnknownObjects(workspace, unknown)
            if check is not None:
                for item in there.values():
                    check(item)
            try:
                return self._store.remove_objects(workspace, ids, stamp=stamp)
            except StaleStamp:  # the workspace was written to since
                if not left:
                    raise
        raise AssertionError

    def _stored(self, workspace: str, catalogue: SourceCatalogue, *, prune: bool) -> Stored:
        """The part of the workspace that the import may touch."""
        self._store.show_stamp(workspace)  # raises for an unknown workspace, also for an empty catalogue
        named = {item.id for item in catalogue.objects} | {end for pair in catalogue.references for end in pair}
        named |= {item.table for item in catalogue.objects if item.table is not None}
        objects = {
            item.id: item for ids in _chunks(sorted(named), PAGE) for item in self._store.show_objects(workspace, ids)
        }
        tables = {item.id for item in catalogue.objects if item.kind == "table" and item.id in objects}
        if prune:
            pruned = {item.id: item for item in self._pages(workspace, kind="table", source=catalogue.source)}
            objects |= pruned
            tables |= pruned.keys()
        for ids in _chunks(sorted(tables), PAGE):
            objects |= {item.id: item for item in self._pages(workspace, tables=ids, gone=None)}
        attributes = sorted(item.id for item in objects.values() if item.table in tables)
        references = frozenset(
            reference
            for ids in _chunks(sorted({*attributes, *(pair[0] for pair in catalogue.references)}), PAGE)
            for reference in self._store.list_references(workspace, ids)
        )
        return Stored(objects=objects, references=references)

    def _pages(
        self,
        workspace: str,
        *,
        kind: ObjectKind | None = None,
        source: str | None = None,
        tables: Sequence[str] | None = None,
        gone: bool | None = False,
    ) -> Iterator[DataObject]:
        after: str | None = None
        while page := self._store.list_objects(
            workspace, kind=kind, source=source, tables=tables, gone=gone, after=after, limit=PAGE
        ):
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1].id


def _batches(plan: Plan, *, size: int) -> Iterator[_ImportBatch]:
    """Tables, attributes, references and gone objects, in this order, split into transactions."""
    changes = [(name, item) for name in ("written", "dropped", "added", "gone") for item in getattr(plan, name)]
    for part in _chunks(changes, size):
        batch = _ImportBatch()
        for name, item in part:
            getattr(batch, name).append(item)
        yield batch


def _embed(encoder: Encoder, objects: Sequence[DataObject], plan: Plan) -> tuple[Embeddings | None, str | None]:
    """Embed the objects that are new or whose text changed; or why there are no embeddings, if the encoder fails."""
    ids = tuple(item.id for item in objects if item.id in plan.texts)
    if not ids:
        return None, None
    try:
        matrix = encoder.encode([plan.texts[item] for item in ids])
    except EncoderUnavailable as error:
        return None, f"no embeddings were made: {error.found}; `retinue reindex` makes them later"
    return Embeddings(model=encoder.name, ids=ids, matrix=matrix), None


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
