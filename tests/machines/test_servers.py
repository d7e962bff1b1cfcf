"""What happens to a Neo4j server under way: it is killed and started again, an index is lost, or is not as we made it.

Each line gets a server of these tests' own, as others would miss what is done to it here.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from api.rest.app import create_app
from api.wiring import Services
from graph.embeddings import Embeddings
from graph.errors import StoreUnavailable
from graph.evidence import Question
from graph.neo4j import Neo4jStore, open_store
from kit import needs
from kit.servers.neo4j_maven import Process, Unavailable
from kit.servers.neo4j_servers import COMMAND, DISTRIBUTIONS, LINES
from kit.shells import Shell
from kit.values.samples import AT, MODEL, table
from kit.values.spaces import Space
from kit.values.spaces import table as columns

pytestmark = pytest.mark.tier("landing")

EXACT = " OPTIONS {indexConfig: {`vector.quantization.enabled`: false}}"
WRITERS = 8
PATIENCE_SECONDS = 240
CREATE = {
    "neo4j_5": "CREATE VECTOR INDEX object_embedding FOR (o:DataObject) ON o.embedding",
    "neo4j_26": "CYPHER 25 CREATE VECTOR INDEX object_embedding FOR (o:DataObject) ON (o.embedding) "
    "WITH [o.workspace, o.embedding_model, o.gone]",
}


@pytest.fixture(scope="module", params=LINES)
def line(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def own(line: str) -> Iterator[Process]:
    try:
        process = Process(DISTRIBUTIONS[line], hurried=True)  # type: ignore[index]
    except Unavailable as reason:
        needs.lacking("neo4j", reason=str(reason), command=COMMAND)
    yield process
    process.stop()


@pytest.fixture
def opener(own: Process) -> Callable[[], Neo4jStore]:
    """Beyond ten objects the stores ask the index."""
    address = f"bolt://127.0.0.1:{own.bolt}"
    return lambda: open_store(address, user="neo4j", password=own.password, exact_limit=10)


@pytest.fixture
def store(opener: Callable[[], Neo4jStore]) -> Iterator[Neo4jStore]:
    opened = opener()
    yield opened
    opened.close()


@pytest.fixture
def embedded(store: Neo4jStore) -> tuple[str, Question]:
    """A workspace of a few hundred vectors, and a question whose nearest is the first of them."""
    name = f"s-{uuid.uuid4().hex}"
    store.create_workspace(name, incarnation=name, at=AT)
    drawn = np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)
    matrix = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    ids = tuple(f"t{number:03}" for number in range(300))
    store.save_objects(name, [table(key) for key in ids], embeddings=Embeddings(model=MODEL, ids=ids, matrix=matrix))
    return name, Question(vector=matrix[0], model=MODEL, use_memory=False, vector_limit=5)


@pytest.fixture
def retinue(own: Process, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command, with this server as its store."""
    shell = Shell(tmp_path)
    shell.environment |= {
        "RETINUE_STORE": f"bolt://127.0.0.1:{own.bolt}",
        "RETINUE_NEO4J_USER": "neo4j",
        "RETINUE_NEO4J_PASSWORD": own.password,
    }
    return shell


@pytest.mark.fault(26)
def test_a_server_killed_amid_writers_loses_nothing_acknowledged(own: Process, store: Neo4jStore) -> None:
    services = Services(store, encoder="none")
    ended, until = threading.Event(), time.monotonic() + PATIENCE_SECONDS
    told: list[list[tuple[str, int, bool]]] = [[] for _ in range(WRITERS)]
    with TestClient(create_app(services, refresh=False), base_url="http://127.0.0.1") as client:
        space = Space(client=client, name=f"s-{uuid.uuid4().hex}").create()

        def write(writer: int) -> None:
            """Notes what each request was answered with, and whether it told when to try again."""
            while not ended.is_set() or told[writer][-1][1] != 200:
                assert time.monotonic() < until
                name = f"w{writer}n{len(told[writer])}"
                body = {"objects": columns(name, a="", b="", c=""), "references": [[f"{name}.a", f"{name}.b"]]}
                reply = space.call("POST", "/objects", json=body)
                told[writer].append((name, reply.status_code, "Retry-After" in reply.headers))

        with ThreadPoolExecutor(WRITERS) as pool:
            writers = [pool.submit(write, number) for number in range(WRITERS)]
            while not all(len(each) > 2 for each in told):
                assert time.monotonic() < until
                time.sleep(0.05)
            own.kill()
            own.start()
            ended.set()
            for writer in writers:
                writer.result()  # each is served again
        there = set(space.objects())

    answered = [each for one in told for each in one]
    assert {(status, again) for _, status, again in answered} <= {(200, False), (503, True)}
    whole = {name: sum(key == name or key.startswith(f"{name}.") for key in there) for name, _, _ in answered}
    assert {whole[name] for name, status, _ in answered if status == 200} == {4}
    assert {whole[name] for name, status, _ in answered if status == 503} <= {0, 4}
    assert store.health().ready
    store.delete_workspace(space.name)


def drop(store: Neo4jStore, name: str) -> None:
    store.connection.execute(f"DROP INDEX {name}")


def narrow(store: Neo4jStore, name: str) -> None:
    """The index is made by hand for vectors of another width than ours."""
    drop(store, name)
    line = "neo4j_5" if store.connection.capabilities.release == "5" else "neo4j_26"
    store.connection.execute(CREATE[line] + " OPTIONS {indexConfig: {`vector.dimensions`: 16}}")
    store.connection.execute("CALL db.awaitIndexes(60)")


@pytest.mark.fault(48)
@pytest.mark.parametrize(("spoil", "is_now"), [(drop, "missing"), (narrow, "for vectors of one width alone")])
@pytest.mark.parametrize("command", ["doctor", "reindex"])
def test_a_spoilt_index_is_said_and_mended(
    store: Neo4jStore,
    embedded: tuple[str, Question],
    retinue: Callable[..., subprocess.CompletedProcess[str]],
    spoil: Callable[[Neo4jStore, str], None],
    is_now: str,
    command: str,
) -> None:
    name, question = embedded
    right = store.evidence(name, question).cosines
    spoil(store, "object_embedding")
    health = store.health()
    assert (health.ready, health.problems) == (False, (f"index object_embedding is {is_now}",))
    with pytest.raises(StoreUnavailable, match="retinue doctor"):
        store.evidence(name, question)

    done = retinue("--json", "--workspace", name, command)
    assert done.returncode == 0, done.stderr
    if command == "doctor":
        said = json.loads(done.stdout)["store"]
        assert said["mended"] == [f"index object_embedding was {is_now} and has been recreated"]
        assert said["ready"]
    assert store.health().ready
    assert store.evidence(name, question).cosines == right
    assert json.loads(retinue("--json", "doctor").stdout)["store"]["mended"] == []
    store.delete_workspace(name)


def test_a_quantised_index_is_said_and_mended(
    store: Neo4jStore, line: str, retinue: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """It answers, with rough cosines: what a server makes where nobody says otherwise."""
    is_now = "quantised, which makes cosines of it inexact"
    drop(store, "object_embedding")
    store.connection.execute(CREATE[line])
    store.connection.execute("CALL db.awaitIndexes(60)")
    assert store.health().problems == (f"index object_embedding is {is_now}",)
    said = json.loads(retinue("--json", "doctor").stdout)["store"]
    assert said["mended"] == [f"index object_embedding was {is_now} and has been recreated"]
    assert store.health().ready


@pytest.mark.fault(48, 57)
def test_an_index_that_still_populates_gives_no_empty_answer(
    store: Neo4jStore,
    embedded: tuple[str, Question],
    opener: Callable[[], Neo4jStore],
    line: str,
) -> None:
    name, question = embedded
    right = store.evidence(name, question).cosines
    drop(store, "object_embedding")
    store.connection.execute(CREATE[line] + EXACT)
    answers = []
    until = time.monotonic() + 60
    while right not in answers:
        assert time.monotonic() < until
        try:
            answers.append(store.evidence(name, question).cosines)
        except StoreUnavailable as said:
            assert "retinue doctor" in str(said)  # noqa: PT017 - either this or the right answer
    assert set(answers) == {right}
    drop(store, "object_embedding")
    store.connection.execute(CREATE[line] + EXACT)
    anew = opener()  # which waits until it is online
    assert anew.health().ready
    assert anew.evidence(name, question).cosines == right
    anew.close()
    store.delete_workspace(name)
