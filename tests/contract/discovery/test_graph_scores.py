"""The graph scores: what a memory found is what its FOUND relationships lead to, and nothing else in the database says
it to an answer."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import neo4j
import pytest

from graph.memories import Memory, MemoryDifference
from graph.neo4j.store import Neo4jStore, open_store
from kit.servers.neo4j_servers import Server
from kit.values.samples import AT, BANK, BANK_REFERENCES
from services.catalogue_index import CatalogueIndexes
from services.discovery.answers import Answer
from services.discovery.service import DiscoveryService
from services.memories import states
from services.memories.service import MemoryService

PROVEN = states.Feedback(kind="annotated")
QUESTION = "which loans of an account are late"
OTHERS = {"loans that were granted": ["loan", "loan.amount"], "late loans by account": ["account", "account.id"]}
FORGOTTEN = {"late loans of an account": ["account.A2", "loan", "loan.amount"]}
ASKED = (("tfidf", "eq1"), ("blend", "eq1"), ("blend", "default"), ("blend", "vote"), ("tfidf", "naive"))


class World:
    """A workspace of a server with the sample bank and memories of these intents."""

    def __init__(self, store: Neo4jStore, driver: neo4j.Driver, intents: dict[str, list[str]]) -> None:
        self.store, self.driver, self.name = store, driver, f"t-{uuid.uuid4().hex}"
        store.create_workspace(self.name, incarnation="first", at=AT)
        store.save_objects(self.name, BANK, references=BANK_REFERENCES)
        self.service = MemoryService(store, None, lambda: AT)
        self.memories = {
            intent: self.service.remember(self.name, intent, objects, evidence=PROVEN)
            for intent, objects in intents.items()
        }

    def cut(self, memory: Memory, kind: str = "FOUND", *, only: str | None = None) -> None:
        """Delete relationships of a memory by hand."""
        self.driver.execute_query(
            f"MATCH (m:Memory {{workspace: $name, id: $id}})-[r:{kind}]->(o) "
            "WHERE $only IS NULL OR o.id = $only DELETE r",
            name=self.name,
            id=memory.id,
            only=only,
        )

    def ask(self, retriever: str, rule: str) -> Answer:
        service = DiscoveryService(self.store, CatalogueIndexes(self.store), None, clock=lambda: AT)
        return service.discover(self.name, QUESTION, retriever=retriever, rule=rule)


@pytest.fixture
def worlds(neo4j_server: Server) -> Iterator[list[World]]:
    """The bank with all memories, and the bank that never learned one of them."""
    user = (neo4j_server.user, neo4j_server.password)
    with (
        closing(open_store(neo4j_server.url, user=user[0], password=user[1], notifications="strict")) as store,
        neo4j.GraphDatabase.driver(neo4j_server.url, auth=user) as driver,
    ):
        made = [World(store, driver, FORGOTTEN | OTHERS), World(store, driver, OTHERS)]
        yield made
        for world in made:
            store.delete_workspace(world.name)


def parts(answer: Answer) -> list[tuple[object, ...]]:
    """All that an answer says of its results, to nine decimals."""
    return [
        (
            hit.id,
            *(round(part, 9) for part in (hit.score, hit.registry, hit.memory)),
            [(share.id, share.intent, round(share.share, 9)) for share in hit.memories],
        )
        for hit in answer.results
    ]


def test_a_memory_whose_relationships_are_deleted_is_in_no_answer(worlds: list[World]) -> None:
    world, never = worlds
    [memory] = (world.memories[intent] for intent in FORGOTTEN)
    for retriever, rule in ASKED:
        shown = {share.id for hit in world.ask(retriever, rule).results for share in hit.memories}
        assert (memory.id in shown) == (rule != "naive"), rule
    assert world.service.check(world.name) == ()
    world.cut(memory)
    for retriever, rule in ASKED:
        assert parts(world.ask(retriever, rule)) == parts(never.ask(retriever, rule)), rule
    wanted = MemoryDifference(memory=memory.id, relationship="FOUND", lacking=memory.objects)
    assert world.service.check(world.name) == (wanted,)
    world.service.confirm(world.name, memory.id)
    assert world.service.check(world.name) == ()
    assert parts(world.ask("tfidf", "eq1")) != parts(never.ask("tfidf", "eq1"))


def test_one_relationship_of_three_that_is_deleted_changes_answers(worlds: list[World]) -> None:
    world, _ = worlds
    [memory] = (world.memories[intent] for intent in FORGOTTEN)
    before = {rule: world.ask(retriever, rule) for retriever, rule in ASKED}
    world.cut(memory, only="account.A2")
    for retriever, rule in ASKED:
        after = world.ask(retriever, rule)
        assert parts(after) != parts(before[rule]), rule
    shown = {hit.id: [share.id for share in hit.memories] for hit in world.ask("tfidf", "eq1").results}
    assert memory.id in shown["loan"]
    assert memory.id not in shown.get("account.A2", [])
    wanted = MemoryDifference(memory=memory.id, relationship="FOUND", lacking=("account.A2",))
    assert world.service.check(world.name) == (wanted,)


def test_an_expectation_is_compared_with_the_relationships_that_people_see(worlds: list[World]) -> None:
    world, _ = worlds
    world.ask("blend", "default")  # makes expectations
    [memory] = (world.memories[intent] for intent in FORGOTTEN)
    answer = parts(world.ask("blend", "default"))
    linked = world.driver.execute_query(
        "MATCH (:Memory {workspace: $name, id: $id})-[e:EXPECTED]->(o) RETURN o.id AS id ORDER BY e.rank",
        name=world.name,
        id=memory.id,
    ).records
    assert 1 <= len(linked) <= 5
    world.cut(memory, "EXPECTED", only=linked[0]["id"])
    assert parts(world.ask("blend", "default")) == answer
    wanted = MemoryDifference(memory=memory.id, relationship="EXPECTED", lacking=(linked[0]["id"],))
    assert world.service.check(world.name) == (wanted,)


def test_a_memory_that_misses_an_object_is_no_difference(worlds: list[World]) -> None:
    world, _ = worlds
    world.store.save_objects(world.name, [], gone=["account.A2"])
    world.store.remove_objects(world.name, ["loan.amount"])
    assert world.service.check(world.name) == ()
    world.store.save_objects(world.name, [replace(it) for it in BANK], references=BANK_REFERENCES)
    assert world.service.check(world.name) == ()
