"""The files under `cypher/browser/`: each runs as it is pasted, and Eq. 1 in Cypher is Eq. 1 of the services."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from graph.embeddings import Embeddings, FloatArray
from graph.neo4j import Neo4jStore, open_store
from graph.premises import Premise
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT, BANK, MODEL, intent_id, memory
from kit.values.sessions import begin, chunks, link
from services.catalogue_index import CatalogueIndexes
from services.discovery.service import DiscoveryService

FOLDER = files("cypher").joinpath("browser")
QUERIES = sorted(file.name for file in FOLDER.iterdir() if file.name.endswith(".cypher"))
INTENTS = ("near", "side", "far", "refuted", "proposed")


class Fixed:
    """An encoder of a few texts, each in a direction of its own."""

    name = MODEL

    def encode(self, texts: Sequence[str]) -> FloatArray:
        rows = [np.random.default_rng(list(text.encode())).normal(size=8) + 0.7 for text in texts]
        matrix = np.array(rows, dtype=np.float32)
        made: FloatArray = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        return made


def embedded(ids: Sequence[str], texts: Sequence[str]) -> Embeddings:
    return Embeddings(model=MODEL, ids=tuple(ids), matrix=Fixed().encode(texts))


@pytest.fixture
def bank(neo4j_server: Server) -> Iterator[tuple[Neo4jStore, str]]:
    store = open_store(neo4j_server.url, user=neo4j_server.user, password=neo4j_server.password, notifications="strict")
    name = f"b-{uuid.uuid4().hex}"
    store.create_workspace(name, incarnation=name, at=AT)
    store.save_objects(name, BANK, embeddings=embedded([o.id for o in BANK[1:]], [o.id for o in BANK[1:]]))
    memories = [
        memory("near", ["account", "loan.amount"]),
        memory("side", ["loan", "loan.amount"]),
        memory("far", ["account.A2", "nowhere"]),
        memory("refuted", ["account.id"], state="refuted", failures=3),
        memory("proposed", ["account.id"], state="proposed", successes=0),
    ]
    store.save_memories(name, memories, embeddings=embedded([intent_id(text) for text in INTENTS], INTENTS))
    begin(store, name, given=chunks("a", "b", "c"))
    link(store, name, {"b": ["a"], "c": ["b"]})
    store.save_beliefs(name, "s", [Premise(chunk="c", premise="b", belief=0.5, reasons=("comes earlier",))])
    yield store, name
    store.delete_workspace(name)
    store.close()


def pasted(store: Neo4jStore, query: str, **parameters: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in store.connection.execute(FOLDER.joinpath(query).read_text("utf-8"), **parameters)]


def clock() -> datetime:
    return AT


@pytest.mark.parametrize("asked", ["near", "side", "a question of its own"])
def test_eq_1_in_the_database_is_eq_1_of_the_services(bank: tuple[Neo4jStore, str], asked: str) -> None:
    store, name = bank
    service = DiscoveryService(store, CatalogueIndexes(store), Fixed(), clock=clock)
    answer = service.discover(name, asked, retriever="neural", rule="eq1", limit=10)
    given = (
        {"intent": asked, "vector": None, "model": None}
        if asked in INTENTS
        else {"intent": None, "vector": Fixed().encode([asked])[0].tolist(), "model": MODEL}
    )
    rows = pasted(store, "equation_one.cypher", workspace=name, alpha=0.5, top_k=5, limit=10, **given)
    assert [row["id"] for row in rows] == [hit.id for hit in answer.results]
    assert len(rows) >= 4
    for row, hit in zip(rows, answer.results, strict=True):
        assert row["score"] == pytest.approx(hit.score, abs=1e-9)
        assert row["registry"] == pytest.approx(hit.registry, abs=1e-9)
        assert row["memory"] == pytest.approx(hit.memory, abs=1e-9)
        assert len(row["because"]) == len(hit.memories)
    assert any(row["because"] for row in rows)


@pytest.mark.parametrize("query", QUERIES)
def test_each_file_finds_something(bank: tuple[Neo4jStore, str], query: str) -> None:
    store, name = bank
    answers = {"intent": "near", "vector": None, "model": None, "alpha": 0.5, "top_k": 5, "limit": 10, "words": "loans"}
    answers |= {"session": "s", "word": "of c"}
    assert pasted(store, query, workspace=name, **answers)


@pytest.mark.parametrize("query", QUERIES)
def test_each_file_says_which_parameters_to_set(query: str) -> None:
    text = FOLDER.joinpath(query).read_text("utf-8")
    head, _, body = text.partition("\nCALL" if "\nCALL" in text.partition("\nMATCH")[0] else "\nMATCH")
    declared = {line.split()[2] for line in head.splitlines() if line.startswith("//   :param")}
    used = set(re.findall(r"\$(\w+)", body))
    assert used == declared


def test_the_style_sheet_knows_every_label() -> None:
    style = FOLDER.joinpath("style.grass").read_text("utf-8")
    for label in ("Workspace", "Table", "Attribute", "Memory", "Intent", "Discovery", "Session", "Chunk"):
        assert f"node.{label} {{" in style
