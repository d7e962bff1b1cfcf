"""Plan an import from what was read and what is stored; pure, nothing is written here.

Items that do not fit are rejected with the reason; the others are imported.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from graph.catalogue import DataObject, Reference
from graph.errors import Conflict
from services.catalogue.values import CatalogueImport, Rejected, SourceCatalogue
from services.words import fold, full_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What an import may touch of the workspace, gone objects too: objects by id, and references."""

    objects: Mapping[str, DataObject]
    references: frozenset[Reference] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to write: `written` has tables first; `texts` are the texts to embed, by id. `report` says what that does to
    the catalogue."""

    written: tuple[DataObject, ...]
    texts: Mapping[str, str]
    added: tuple[Reference, ...]
    dropped: tuple[Reference, ...]
    gone: tuple[str, ...]
    report: CatalogueImport

    @property
    def size(self) -> int:
        return len(self.written) + len(self.added) + len(self.dropped) + len(self.gone)


def make_plan(catalogue: SourceCatalogue, stored: Stored, *, prune: bool, force: bool) -> Plan:
    """Plan an import. Raises `Conflict` where pruning would remove most of the source's tables, unless forced."""
    rejected = list(catalogue.rejected)
    kept = _fitting(catalogue, stored, rejected)
    added = _references(catalogue, kept, stored, rejected)
    tables = {item.id for item in kept.values() if item.kind == "table"}
    protected = kept.keys() | {entry.item for entry in rejected}
    gone = {
        item.id
        for item in stored.objects.values()
        if item.table in tables and not item.gone and item.id not in protected
    }
    if prune:
        gone |= _pruned(catalogue, stored, protected=protected, force=force)
    dropped = {
        reference
        for reference in stored.references - set(catalogue.references)
        if (item := kept.get(reference[0]) or stored.objects.get(reference[0])) and item.table in tables
    }
    written, texts, updated = [], {}, 0
    new = [item for item in kept.values() if item.id not in stored.objects]
    for item in kept.values():
        before = stored.objects.get(item.id)
        if before == item and before.folded == item.folded:
            continue
        written.append(item)
        updated += before is not None and before != item
        text = full_text(item, _table_name(item, kept, stored.objects))
        if before is None or text != full_text(before, _table_name(before, stored.objects)):
            texts[item.id] = text
    added = [reference for reference in added if reference not in stored.references]
    return Plan(
        written=tuple(sorted(written, key=lambda item: item.kind != "table")),
        texts=texts,
        added=tuple(added),
        dropped=tuple(sorted(dropped)),
        gone=tuple(sorted(gone)),
        report=CatalogueImport(
            imported=len(new),
            updated=updated,
            unchanged=len(kept) - len(new) - updated,
            gone=len(gone),
            rejected=tuple(rejected),
            references_added=len(added),
            references_dropped=len(dropped),
        ),
    )


def _fitting(catalogue: SourceCatalogue, stored: Stored, rejected: list[Rejected]) -> dict[str, DataObject]:
    """The objects that fit the workspace: of their stored kind, and attributes whose table is live or in the file."""
    kept: dict[str, DataObject] = {}
    for item in sorted(catalogue.objects, key=lambda item: item.kind != "table"):
        before = stored.objects.get(item.id)
        reason = None
        if before is not None and before.kind != item.kind:
            reason = f"it is {item.kind} here and {before.kind} in the workspace; remove that first"
        elif item.table is not None:
            table = kept.get(item.table) or stored.objects.get(item.table)
            if table is None or table.gone:
                reason = (
                    f"its table {item.table!r} is neither among the tables taken from this file nor in the workspace"
                )
            elif table.kind != "table":
                reason = f"its table {item.table!r} is an attribute"
        if reason is None:
            kept[item.id] = item
        else:
            rejected.append(Rejected(item=item.id, reason=reason))
    return {
        item.id: replace(item, folded=fold(full_text(item, _table_name(item, kept, stored.objects))))
        for item in kept.values()
    }


def _references(
    catalogue: SourceCatalogue, kept: Mapping[str, DataObject], stored: Stored, rejected: list[Rejected]
) -> list[Reference]:
    found = []
    for reference in catalogue.references:
        for end in reference:
            item = kept.get(end) or stored.objects.get(end)
            if item is None or item.gone or item.kind != "attribute":
                why = "a table" if item is not None and not item.gone else "not there"
                rejected.append(Rejected(item=" -> ".join(reference), reason=f"{end!r} is no attribute: it is {why}"))
                break
        else:
            found.append(reference)
    return found


def _pruned(catalogue: SourceCatalogue, stored: Stored, *, protected: Iterable[str], force: bool) -> set[str]:
    """The tables of this source that the file no longer has, with their attributes."""
    of_source = {
        item.id
        for item in stored.objects.values()
        if item.kind == "table" and item.source == catalogue.source and not item.gone
    }
    leaving = of_source - set(protected)
    if not force and 2 * len(leaving) > len(of_source):
        raise Conflict(
            f"an import with pruning from {catalogue.source!r}",
            found=f"{len(leaving)} of its {len(of_source)} tables, more than half, are not in it any more",
            hint="Nothing was changed. Check that the file is whole; if it is, import it with --force",
        )
    attributes: dict[str | None, list[str]] = defaultdict(list)
    for item in stored.objects.values():
        if not item.gone:
            attributes[item.table].append(item.id)
    return leaving.union(*(attributes[table] for table in leaving))


def _table_name(item: DataObject, *sources: Mapping[str, DataObject]) -> str | None:
    if item.table is None:
        return None
    return next((source[item.table].name for source in sources if item.table in source), None)
