"""Imports on the embedded store: again and again, in part, with odd items, in bounded steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from graph.catalogue import DataObject
from graph.embedded import open_store
from graph.embeddings import FloatArray
from graph.errors import Conflict, EncoderUnavailable, UnknownObjects, UnknownWorkspace
from graph.store import Store
from services.catalogue import CatalogueImport, CatalogueService, SourceCatalogue
from services.catalogue.items import collect
from services.memories import MemoryService

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Counting:
    """An encoder that remembers what it was asked; texts are told apart by their lengths."""

    name = "counting"

    def __init__(self, *, broken: bool = False) -> None:
        self.texts: list[str] = []
        self._broken = broken

    def encode(self, texts: Sequence[str]) -> FloatArray:
        if self._broken:
            raise EncoderUnavailable("the encoder", found="it is broken", hint="Mend it")
        self.texts += texts
        rows = np.array([[len(text), 1] for text in texts], dtype=np.float32)
        unit: FloatArray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store("memory://")
    opened.create_workspace("w", incarnation="1", at=NOON)
    yield opened
    opened.close()


@pytest.fixture
def service(store: Store) -> CatalogueService:
    return CatalogueService(store, None)


def catalogue(
    *names: str, references: Sequence[tuple[str, str]] = (), source: str = "s", **described: str
) -> SourceCatalogue:
    """Tables (`t`) and attributes (`t.a`) by their ids."""
    rows: list[object] = [
        {"id": name, "kind": "attribute", "table": name.split(".")[0], "name": name.split(".")[1]}
        if "." in name
        else {"id": name, "kind": "table", "name": name}
        for name in names
    ]
    rows = [{**row, "description": described.get(str(row["id"]).replace(".", "_"), "")} for row in rows]  # type: ignore[dict-item,index]
    return collect(source, rows, references)


SHOP = ("c", "c.id", "c.name", "o", "o.id", "o.c_id")
KEYS = [("o.c_id", "c.id")]


def counts(report: CatalogueImport) -> tuple[int, int, int, int]:
    return report.imported, report.updated, report.unchanged, report.gone


def test_the_same_again_changes_nothing_and_says_so(service: CatalogueService, store: Store) -> None:
    first = service.import_catalogue("w", catalogue(*SHOP, references=KEYS))
    assert (counts(first), first.references_added) == ((6, 0, 0, 0), 1)
    stamp = store.show_stamp("w")
    again = service.import_catalogue("w", catalogue(*SHOP, references=KEYS), prune=True)
    assert again == CatalogueImport(unchanged=6)
    assert store.show_stamp("w") == stamp


def test_a_second_catalogue_leaves_the_first_alone(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue("a", "a.x"))
    service.import_catalogue("w", catalogue("b", "b.x"))
    assert [item.id for item in service.list("w")] == ["a", "a.x", "b", "b.x"]


def test_what_changed_is_updated(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue(*SHOP))
    assert counts(service.import_catalogue("w", catalogue(*SHOP, c_name="who"))) == (0, 1, 5, 0)
    assert service.show("w", "c.name").description == "who"
    assert [item.id for item in service.list("w", q="WHO")] == ["c.name"]


def test_a_missing_column_is_gone_with_its_memories_and_both_come_back(service: CatalogueService, store: Store) -> None:
    service.import_catalogue("w", catalogue(*SHOP, references=KEYS))
    memory = MemoryService(store, None, lambda: NOON).remember("w", "names", ["c", "c.name"])
    report = service.import_catalogue("w", catalogue("c", "c.id"))
    assert (counts(report), report.suspended) == ((0, 0, 2, 1), (memory.id,))
    assert service.show("w", "c.name").gone
    assert [item.id for item in service.list("w", gone=True)] == ["c.name"]
    report = service.import_catalogue("w", catalogue("c", "c.id", "c.name"))
    assert (counts(report), report.restored) == ((0, 1, 2, 0), (memory.id,))
    assert not service.show("w", "c.name").gone


def test_references_go_with_the_table_that_no_longer_has_them(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue(*SHOP, references=KEYS))
    assert service.import_catalogue("w", catalogue("c", "c.id", "c.name")).references_dropped == 0
    assert service.references("w", ["c.id"]) == (("o.c_id", "c.id"),)
    assert service.import_catalogue("w", catalogue("o", "o.id", "o.c_id")).references_dropped == 1
    assert service.references("w", ["c.id"]) == ()


def test_columns_alone_are_added_to_their_table(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue(*SHOP))
    assert counts(service.import_catalogue("w", catalogue("c.town", references=[("c.town", "o.id")]))) == (1, 0, 0, 0)
    assert service.references("w", ["o.id"]) == (("c.town", "o.id"),)


def test_tables_go_only_with_prune_and_only_those_of_the_source(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue("a", "a.x", "b", "b.x", "c", "c.x"))
    service.import_catalogue("w", catalogue("z", "z.x", source="other"))
    assert counts(service.import_catalogue("w", catalogue("a", "a.x", "b", "b.x"))) == (0, 0, 4, 0)
    assert counts(service.import_catalogue("w", catalogue("a", "a.x", "b", "b.x"), prune=True)) == (0, 0, 4, 2)
    assert [item.id for item in service.list("w")] == ["a", "a.x", "b", "b.x", "z", "z.x"]


def test_most_of_a_source_goes_only_by_force(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue("a", "a.x", "b", "c", "d"))
    with pytest.raises(Conflict, match="3 of its 4 tables, more than half"):
        service.import_catalogue("w", catalogue("a", "a.new"), prune=True)
    assert [item.id for item in service.list("w")] == ["a", "a.x", "b", "c", "d"]
    assert service.import_catalogue("w", catalogue("a", "b"), prune=True).gone == 3
    assert service.import_catalogue("w", catalogue("z"), prune=True, force=True).gone == 2
    with pytest.raises(Conflict):
        service.import_catalogue("w", catalogue(), prune=True)


def test_what_is_rejected_is_not_taken_for_gone(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue(*SHOP))
    rows: list[Any] = [
        {"id": "c", "kind": "table", "name": "c"},
        {"id": "c.id", "kind": "attribute", "table": "c", "name": "id"},
        {"id": "c.name", "kind": "attribute", "table": "c", "name": None},
        {"id": "o", "kind": "table", "name": 5},
    ]
    report = service.import_catalogue("w", collect("s", rows, []), prune=True)
    assert (counts(report), [entry.item for entry in report.rejected]) == ((0, 0, 2, 0), ["c.name", "o"])
    assert len(service.list("w")) == 6


def test_attributes_and_references_without_their_ends_are_rejected(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue("gone", "gone.x"))
    service.import_catalogue("w", catalogue("keep"), prune=True, force=True)
    report = service.import_catalogue(
        "w",
        catalogue("c", "c.id", "x.a", "gone.y", references=[("c.id", "c.no"), ("c.id", "c"), ("c.id", "gone.x")]),
    )
    assert report.imported == 2
    assert {entry.item for entry in report.rejected} == {
        "x.a", "gone.y", "c.id -> c.no", "c.id -> c", "c.id -> gone.x",
    }  # fmt: skip
    assert service.references("w", ["c.id"]) == ()


def test_a_table_does_not_become_a_column(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue("c", "c.id"))
    rows = [
        {"id": "c.id", "kind": "table", "name": "x"},
        {"id": "y", "kind": "attribute", "table": "c.id", "name": "y"},
    ]
    report = service.import_catalogue("w", collect("s", rows, []))
    assert [entry.item for entry in report.rejected] == ["c.id", "y"]
    assert service.show("w", "c.id").kind == "attribute"


def test_one_bad_row_of_a_thousand_is_reported_and_the_rest_is_in(service: CatalogueService) -> None:
    good = [{"id": f"t.{n}", "kind": "attribute", "table": "t", "name": f"n{n}"} for n in range(998)]
    rows = [{"id": "t", "kind": "table", "name": "t"}, *good[:500], None, *good[500:]]
    report = service.import_catalogue("w", collect("s", rows, []))
    assert (report.imported, [entry.item for entry in report.rejected]) == (999, ["objects[501]"])


def test_large_imports_go_in_steps_and_tell_of_them(store: Store) -> None:
    saved: list[int] = []

    class Watched:
        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        def save_objects(self, workspace: str, objects: Sequence[DataObject], **more: Any) -> object:
            saved.append(len(objects))
            return store.save_objects(workspace, objects, **more)

    names = [f"t{n // 100}" if n % 100 == 0 else f"t{n // 100}.c{n}" for n in range(12_000)]
    steps: list[tuple[int, int | None]] = []
    service = CatalogueService(Watched(), None)  # type: ignore[arg-type]
    whole = catalogue(*reversed(names), references=[("t0.c1", "t1.c101")])
    report = service.import_catalogue("w", whole, progress=lambda done, total: steps.append((done, total)))
    assert report.imported == 12_000
    assert saved == [5_000, 5_000, 2_000]
    assert steps == [(5_000, 12_001), (10_000, 12_001), (12_001, 12_001)]
    assert counts(service.import_catalogue("w", whole)) == (0, 0, 12_000, 0)


def test_embeddings_are_made_of_what_is_new_or_reads_differently(store: Store) -> None:
    encoder = Counting()
    service = CatalogueService(store, encoder)
    service.import_catalogue("w", catalogue(*SHOP))
    assert sorted(encoder.texts) == ["c", "c id", "c name", "o", "o c_id", "o id"]
    encoder.texts.clear()
    service.import_catalogue("w", catalogue(*SHOP, c_name="who"))
    assert encoder.texts == ["c name who"]
    assert store.list_unembedded("w", of="objects", model="counting") == ()
    encoder.texts.clear()
    renamed = [
        {"id": "c", "kind": "table", "name": "client"},
        {"id": "c.id", "kind": "attribute", "table": "c", "name": "id"},
    ]
    service.import_catalogue("w", collect("s", renamed, []))
    assert sorted(encoder.texts) == ["client", "client id"]


def test_a_broken_encoder_does_not_keep_a_catalogue_out(store: Store) -> None:
    report = CatalogueService(store, Counting(broken=True)).import_catalogue("w", catalogue(*SHOP))
    assert report.imported == 6
    assert "broken" in report.degraded[0]
    assert len(store.list_unembedded("w", of="objects", model="counting")) == 6


def test_words_are_found_whatever_their_case_and_accents(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue("c", "c.town", c_town="Größe der Stadt, `a|b/c`"))
    for q in ("grosse", "STADT größe", "town c", "`a|b/c`", " "):
        assert "c.town" in [item.id for item in service.list("w", q=q)], q
    assert service.list("w", q="village") == ()


def test_removing_is_for_good_and_for_what_is_there(service: CatalogueService) -> None:
    service.import_catalogue("w", catalogue(*SHOP, references=KEYS))
    with pytest.raises(UnknownObjects):
        service.remove("w", ["c", "nowhere"])
    assert service.remove("w", ["c"]).ids == ("c", "c.id", "c.name")
    with pytest.raises(UnknownObjects):
        service.show("w", "c")
    assert [item.id for item in service.list("w", gone=None)] == ["o", "o.c_id", "o.id"]


def test_a_workspace_that_is_not_there_is_an_error(service: CatalogueService) -> None:
    with pytest.raises(UnknownWorkspace):
        service.import_catalogue("elsewhere", catalogue())
    with pytest.raises(UnknownWorkspace):
        service.import_catalogue("elsewhere", catalogue("a"))
