"""Reported faults of the kind: what is indexed costs by its square (`docs/faults.md`). `make bench` has the figures."""

from __future__ import annotations

from datetime import UTC, datetime
from math import log
from time import process_time

import pytest

from api.wiring import Services
from graph.catalogue import DataObject
from graph.embedded import open_store
from services.catalogue import SourceCatalogue

SIZES = (1_000, 2_000, 4_000)
MOST = 1.5  # the power of the size; a square is 2, and the benchmark on a machine of its own is held to 1.2


def indexed(size: int) -> float:
    """The processor's seconds from a catalogue to its first answer."""
    columns = tuple(
        DataObject(id=f"t.c{n}", kind="attribute", name=f"amount {n % 97} of {n}", table="t", source="s")
        for n in range(size)
    )
    made = SourceCatalogue(source="s", objects=(DataObject(id="t", kind="table", name="t", source="s"), *columns))
    services = Services(open_store("memory://"), encoder="none", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    services.workspaces.ensure("w")
    begin = process_time()
    services.catalogue.import_catalogue("w", made)
    answer = services.discovery.discover("w", "amount 5 of 102")
    spent = process_time() - begin
    assert answer.results[0].id == "t.c102"
    services.close()
    return spent


@pytest.mark.tier("test")
@pytest.mark.fault(101)
def test_indexing_grows_with_what_is_indexed_not_with_its_square() -> None:
    indexed(SIZES[0])
    least = [min(indexed(size) for _ in range(3)) for size in SIZES]
    assert log(least[-1] / least[0]) / log(SIZES[-1] / SIZES[0]) < MOST, least
