"""What every test may ask for: the stores, a fresh workspace, the shared data, the neural encoder.

The suite of promises in `contract/` runs once for each of the `store` fixture's back ends.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from hypothesis import HealthCheck, settings

from kit import needs, tiers
from kit.servers import postgres_clusters
from kit.servers.neo4j_maven import Unavailable
from kit.servers.neo4j_servers import COMMAND, LINES, Server, Servers
from kit.servers.postgres_clusters import Cluster
from kit.tiers import TIERS
from kit.values.spaces import Space

if TYPE_CHECKING:
    from graph.store import Store
    from services.encoders import Encoder

# Real servers answer in milliseconds, not microseconds: no deadline, and as many examples as a run of the suite bears.
settings.register_profile(
    "usual", deadline=None, max_examples=20, stateful_step_count=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("usual"), max_examples=300, stateful_step_count=50)

BACK_ENDS = ("memory", "sqlite", *LINES)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=TIERS, default="landing", help="run the tests of this tier and those before it")


def pytest_configure(config: pytest.Config) -> None:
    needs.required()  # an unknown name in RETINUE_REQUIRE ends the run before it starts
    settings.load_profile("thorough" if config.getoption("tier") == "thorough" else "usual")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return tiers.is_beyond(collection_path, config) or None


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    tiers.choose(items, config)


@pytest.fixture(scope="session")
def histories(request: pytest.FixtureRequest) -> int:
    """How many random histories are played on a back end: more in each tier."""
    return tiers.histories(request.config)


@pytest.fixture(scope="session")
def neo4j_servers() -> Iterator[Servers]:
    """The servers of this run; started when first asked for, stopped at the end."""
    servers = Servers(hurried=True)
    try:
        yield servers
    finally:
        servers.stop()


def server_or_skip(servers: Servers, line: str) -> Server:
    """The server of a line, by the rule of `needs` where there is none."""
    try:
        return servers.server(line)  # type: ignore[arg-type]
    except Unavailable as reason:
        needs.lacking("neo4j", reason=str(reason), command=COMMAND)


@pytest.fixture(scope="session", params=LINES)
def neo4j_server(request: pytest.FixtureRequest, neo4j_servers: Servers) -> Server:
    """Each line of Neo4j in turn."""
    return server_or_skip(neo4j_servers, request.param)


@pytest.fixture(scope="session", params=BACK_ENDS)
def opener(
    request: pytest.FixtureRequest, neo4j_servers: Servers, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Store]:
    """Each back end in turn: a call opens a store on the same place (of memory://, a new one). It takes the limits of
    `graph.neo4j.open_store`; the embedded stores have none."""
    if request.param in LINES:
        from graph.neo4j.store import open_store

        server = server_or_skip(neo4j_servers, request.param)
        given: dict[str, Any] = {"user": server.user, "password": server.password, "notifications": "strict"}
        return lambda **limits: open_store(server.url, **given, **limits)
    from graph.embedded import open_store as open_embedded

    place = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path_factory.mktemp('sqlite') / 'graph.db'}"
    return lambda **_: open_embedded(place)


@pytest.fixture(scope="session")
def store(opener: Callable[[], Store]) -> Iterator[Store]:
    """Each back end in turn, one store for the whole run: a test works in workspaces of its own names."""
    opened = opener()
    yield opened
    opened.close()


@pytest.fixture
def workspace(store: Store) -> Iterator[str]:
    """A fresh, empty workspace."""
    name = f"t-{uuid.uuid4().hex}"
    store.create_workspace(name, incarnation=uuid.uuid4().hex, at=datetime.now(UTC))
    yield name
    store.delete_workspace(name)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data: RETINUE_SHARED, or `../shared` beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("RETINUE_SHARED", beside))
    if not (folder / "data").is_dir():
        needs.lacking("shared", reason=f"no folder {folder.name}/data", command="RETINUE_SHARED=FOLDER make test")
    return folder


@pytest.fixture(scope="session")
def neural() -> Encoder:
    """The real encoder, all-MiniLM-L6-v2."""
    from services.encoders import load_encoder

    encoder, why_not = load_encoder("auto")
    if encoder is None:
        needs.lacking("neural", reason=why_not or "no encoder", command="RETINUE_REQUIRE=neural make test")
    return encoder


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL of this run's own; started when first asked for, stopped at the end."""
    try:
        cluster = postgres_clusters.start()
    except postgres_clusters.Lacking as reason:
        needs.lacking("postgres", reason=str(reason), command=postgres_clusters.COMMAND)
    try:
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def make_space(client: httpx2.Client) -> Iterator[Callable[[], Space]]:
    """Makes fresh workspaces, which go when the test ends."""
    made: list[Space] = []

    def make() -> Space:
        made.append(Space(client=client, name=f"f-{uuid.uuid4().hex}").create())
        return made[-1]

    yield make
    for space in made:
        space.call("DELETE", "")


@pytest.fixture
def space(make_space: Callable[[], Space]) -> Space:
    return make_space()
