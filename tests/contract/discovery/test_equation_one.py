"""Eq. 1 on an example of three objects worked by hand: score(q, o) = r(q, o) + alpha * sum over the top K of sim * 1.

Memories: "near" (similarity .8) found a and b; "far" (.6) found b and c; "proposed" (.5) found c and does not count.
alpha .5, K 5: a .5 * .8 = .4; b .5 * (.8 + .6) = .7; c .5 * .6 = .3. With r = a .1, b .25, c .6: .5, .95, .9.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

import neo4j
import numpy as np
import pytest

from graph.embeddings import FloatArray
from graph.evidence import DiscoveryEvidence, Question, Similarity
from graph.store import Store
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT, MODEL, embeddings, intent_id, memory, scores, table, unit
from services.catalogue_index import CatalogueIndexes
from services.discovery.service import DiscoveryService

REGISTRY = {"a": 0.1, "b": 0.25, "c": 0.6}
MEMORIES = (
    memory("near", ["a", "b"]),
    memory("far", ["b", "c"]),
    memory("proposed", ["c"], state="proposed", successes=0),
)
LEXICAL = scores({intent_id("near"): 0.8, intent_id("far"): 0.6, intent_id("proposed"): 0.5})


@pytest.fixture
def world(store: Store, workspace: str) -> str:
    store.save_objects(workspace, [table(name) for name in "abc"])
    # cosines with x: near .8, far .6, proposed .28
    vectors = embeddings({intent_id("near"): "xy", intent_id("far"): "yx", intent_id("proposed"): "yz"})
    store.save_memories(workspace, MEMORIES, embeddings=vectors)
    return workspace


def totals(evidence: DiscoveryEvidence) -> dict[str, float]:
    terms = dict(zip(evidence.terms.ids, evidence.terms.values, strict=True))
    return {name: r + terms.get(name, 0.0) for name, r in REGISTRY.items()}


def test_by_words(store: Store, world: str) -> None:
    found = store.evidence(world, Question(objects=scores(REGISTRY), intents=LEXICAL))
    assert found.terms.ids == ("a", "b", "c")
    assert found.terms.values == pytest.approx((0.4, 0.7, 0.3), abs=1e-9)
    assert totals(found) == pytest.approx({"a": 0.5, "b": 0.95, "c": 0.9}, abs=1e-9)
    assert {m.intent: m.share for m in found.memories} == pytest.approx(
        {"near": 0.4, "far": 0.3, "proposed": 0.0}, abs=1e-9
    )


def test_by_embeddings(store: Store, world: str) -> None:
    question = Question(objects=scores(REGISTRY), vector=unit("x"), model=MODEL, similarity="neural")
    found = store.evidence(world, question)
    assert totals(found) == pytest.approx({"a": 0.5, "b": 0.95, "c": 0.9}, abs=1e-9)


def test_by_the_mean_of_both(store: Store, world: str) -> None:
    lexical = scores({intent_id("near"): 0.4, intent_id("far"): 0.2})
    question = Question(intents=lexical, vector=unit("x"), model=MODEL, similarity="mean")
    found = store.evidence(world, question)  # near (.4 + .8) / 2 = .6, far (.2 + .6) / 2 = .4
    assert found.terms.values == pytest.approx((0.3, 0.5, 0.2), abs=1e-9)


@pytest.mark.parametrize("similarity", ["lexical", "mean"])
def test_only_the_nearest_k_count(store: Store, world: str, similarity: Similarity) -> None:
    found = store.evidence(world, Question(intents=LEXICAL, top_k=1, similarity=similarity))
    assert (found.terms.ids, found.terms.values) == (("a", "b"), pytest.approx((0.4, 0.4), abs=1e-9))


def test_alpha_scales_and_0_silences(store: Store, world: str) -> None:
    found = store.evidence(world, Question(intents=LEXICAL, alpha=1.0))
    assert found.terms.values == pytest.approx((0.8, 1.4, 0.6), abs=1e-9)
    silent = store.evidence(world, Question(intents=LEXICAL, alpha=0.0))
    assert all(value == 0 for value in silent.terms.values)


def test_a_refuted_memory_is_as_alpha_0(store: Store, workspace: str) -> None:
    store.save_objects(workspace, [table("a")])
    store.save_memories(workspace, [memory("near", ["a"], state="refuted", failures=1)])
    found = store.evidence(workspace, Question(intents=LEXICAL))
    assert (found.terms.ids, found.memories) == ((), ())


@pytest.mark.parametrize("opener", ["neo4j_5", "neo4j_26"], indirect=True)
def test_the_query_for_neo4j_browser_says_the_same(
    store: Store, world: str, opener: object, request: pytest.FixtureRequest
) -> None:
    """Eq. 1 wholly in the database, as people paste it, against the core that `discover` uses."""
    store.save_embeddings(world, embeddings({"a": "xy", "b": "yz", "c": "-x"}), of="objects")
    server: Server = request.getfixturevalue("neo4j_servers").server(request.node.callspec.params["opener"])
    text = files("cypher").joinpath("browser/equation_one.cypher").read_text(encoding="utf-8")
    asked = {"workspace": world, "intent": None, "vector": unit("x").tolist(), "model": MODEL, "alpha": 0.5, "top_k": 5}
    with neo4j.GraphDatabase.driver(server.url, auth=(server.user, server.password)) as driver:
        rows = driver.execute_query(text, {**asked, "limit": 10}).records
    # cosines with x: a .8, b 0, c -1 (as 0); memory terms .4, .7, .3: in all a 1.2, b .7, c .3
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert [row["score"] for row in rows] == pytest.approx([1.2, 0.7, 0.3], abs=1e-9)

    class Given:
        """An encoder that knows one question."""

        name = MODEL

        def encode(self, texts: Sequence[str]) -> FloatArray:
            return np.stack([unit("x") for _ in texts])

    service = DiscoveryService(store, CatalogueIndexes(store), Given(), clock=lambda: AT)
    core = service.discover(world, "any question", retriever="neural", rule="eq1").results
    assert [hit.id for hit in core] == [row["id"] for row in rows]
    assert [hit.score for hit in core] == pytest.approx([row["score"] for row in rows], abs=1e-9)
    assert [hit.registry for hit in core] == pytest.approx([row["registry"] for row in rows], abs=1e-9)
    assert [hit.memory for hit in core] == pytest.approx([row["memory"] for row in rows], abs=1e-9)
