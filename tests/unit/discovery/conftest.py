"""A small workspace to ask: a store that counts what is asked of it, a catalogue in a few words, a toy encoder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from graph.catalogue import DataObject, Reference
from graph.embedded import open_store
from graph.embeddings import Embeddings, FloatArray
from graph.store import Store
from kit.values.terms import grams
from services.catalogue_index import CatalogueIndexes
from services.discovery.service import DiscoveryService
from services.memories import states
from services.memories.service import MemoryService
from services.words import full_text

NOW = datetime(2026, 2, 3, tzinfo=UTC)


class CountingStore:
    """A real store, and how often each of its operations was asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found

        def counted(*args: Any, **named: Any) -> Any:
            self.calls[name] += 1
            return found(*args, **named)

        return counted


class GramEncoder:
    """An encoder of 32 dimensions that hashes n-grams: deterministic, and no words alone."""

    name = "grams-32"

    def encode(self, texts: Sequence[str]) -> FloatArray:
        rows = np.full((len(texts), 32), 0.01, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for gram in grams(text):
                row[sum(gram.encode()) % 32] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


class Room:
    """A workspace `w` of a store, its services, and short ways to fill it."""

    def __init__(self, encoder: GramEncoder | None = None) -> None:
        self.store: Any = CountingStore(open_store("memory://"))
        self.store.create_workspace("w", incarnation="first", at=NOW)
        self.encoder = encoder
        self.registries = CatalogueIndexes(self.store)
        self.memories = MemoryService(self.store, encoder, lambda: NOW)
        self.discovery = self.service(encoder)

    def service(self, encoder: Any, *, missing: str | None = None) -> DiscoveryService:
        return DiscoveryService(self.store, self.registries, encoder, missing=missing, clock=lambda: NOW)

    def save(self, tables: dict[str, dict[str, str]], *, references: Sequence[Reference] = ()) -> None:
        """Tables of columns with descriptions; the description of "" is the table's own. Ids are joined by a dot."""
        objects = []
        for table, columns in tables.items():
            objects.append(DataObject(id=table, kind="table", name=table, description=columns.get("", "")))
            objects += [
                DataObject(id=f"{table}.{name}", kind="attribute", name=name, description=said, table=table)
                for name, said in columns.items()
                if name
            ]
        self.put(objects, references=references)

    def put(self, objects: Sequence[DataObject], *, references: Sequence[Reference] = ()) -> None:
        named = {item.id: item.name for item in objects}
        texts = [full_text(item, named.get(item.table or "", item.table)) for item in objects]
        embeddings = self.encoder and Embeddings(
            model=self.encoder.name, ids=tuple(item.id for item in objects), matrix=self.encoder.encode(texts)
        )
        self.store.save_objects(
            "w", [replace(item, folded=item.name) for item in objects], references=references, embeddings=embeddings
        )

    def remember(self, intent: str, *objects: str, kind: str | None = "annotated") -> str:
        testimony = None if kind is None else states.Feedback(kind=kind)  # type: ignore[arg-type]
        return self.memories.remember("w", intent, objects, evidence=testimony).id

    def found(self, intent: str, **how: Any) -> list[str]:
        return [hit.id for hit in self.discovery.discover("w", intent, **how).results]


@pytest.fixture
def room() -> Room:
    """Without an encoder."""
    return Room()


@pytest.fixture(params=["words", "encoder"])
def either_room(request: pytest.FixtureRequest) -> Room:
    """Without an encoder, and with one."""
    return Room(GramEncoder() if request.param == "encoder" else None)


@pytest.fixture
def make_room() -> Callable[..., Room]:
    return Room


@pytest.fixture
def gram_encoder() -> GramEncoder:
    return GramEncoder()


SHOP = {
    "customer": {"": "who buys", "customer_id": "key", "name": "full name", "city": "where the customer lives"},
    "orders": {"": "sales", "order_id": "key", "customer_id": "who ordered", "total": "amount in euro"},
    "product": {"": "what is sold", "product_id": "key", "price": "price in euro", "colour": "colour of the product"},
}


@pytest.fixture
def shop(either_room: Room) -> Room:
    either_room.save(SHOP, references=[("orders.customer_id", "customer.customer_id")])
    return either_room
