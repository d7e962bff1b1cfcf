"""The Neo4j servers that tests and benchmarks use: given ones, containers, or Java processes, in this order.

Each line of the product is started at most once and only when it is asked for.
`PYTHONPATH=tests python tests/kit/servers/neo4j_servers.py` starts both, prints the `RETINUE_TEST_NEO4J` that names
them, and keeps them until it is interrupted.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import neo4j

from kit.servers.neo4j_maven import Distribution, Process, Unavailable

Line = Literal["neo4j_5", "neo4j_26"]
LINES: tuple[Line, ...] = get_args(Line)

DISTRIBUTIONS: Mapping[Line, Distribution] = {
    "neo4j_5": Distribution(version="5.26.30", java=17, main="org.neo4j.server.CommunityEntryPoint"),
    "neo4j_26": Distribution(version="2026.09.0", java=21, main="org.neo4j.server.Neo4jCommunity"),
}
COMMAND = "install a JDK 21 or newer and Maven, or set RETINUE_TEST_NEO4J='URL user password', then `make test`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where a server answers: Bolt, and HTTP where that is known."""

    line: Line
    url: str
    user: str
    password: str
    http: str | None = None

    def __str__(self) -> str:
        return " ".join(filter(None, (self.url, self.user, self.password, self.http)))


class Servers:
    """One server a line, found or started at first use; `stop` ends those that were started here.

    `hurried` starts Java processes for short tests, not for measuring.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ, *, hurried: bool = False) -> None:
        self._hurried = hurried
        self._given = environ.get("RETINUE_TEST_NEO4J", "")
        self._found: dict[Line, Server | Unavailable] = {}
        self._stops: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def server(self, line: Line) -> Server:
        """The server of this line; `Unavailable` says why there is none, and says so again without a new try."""
        with self._lock:
            if not self._found and self._given:
                self._found.update(self._ask_given())
            if line not in self._found:
                try:
                    self._found[line] = self._start(line)
                except Unavailable as reason:
                    self._found[line] = reason
            found = self._found[line]
        if isinstance(found, Unavailable):
            raise found
        return found

    def stop(self) -> None:
        while self._stops:
            self._stops.pop()()

    def _ask_given(self) -> dict[Line, Server | Unavailable]:
        """The servers of RETINUE_TEST_NEO4J (`URL user password [HTTP]`, several by `;`), each asked for its line."""
        found: dict[Line, Server | Unavailable] = {
            line: Unavailable(f"RETINUE_TEST_NEO4J names no server of the line {line}") for line in LINES
        }
        for entry in filter(None, map(str.strip, self._given.split(";"))):
            url, user, password, *http = entry.split()
            with neo4j.GraphDatabase.driver(url, auth=(user, password)) as driver:
                version = driver.get_server_info().agent.removeprefix("Neo4j/")
            line: Line = "neo4j_5" if version.startswith("5.") else "neo4j_26"
            found[line] = Server(line=line, url=url, user=user, password=password, http=next(iter(http), None))
        return found

    def _start(self, line: Line) -> Server:
        if docker_answers():
            return self._start_container(line)
        process = Process(DISTRIBUTIONS[line], hurried=self._hurried)
        self._stops.append(process.stop)
        return Server(
            line=line,
            url=f"bolt://127.0.0.1:{process.bolt}",
            user="neo4j",
            password=process.password,
            http=f"http://127.0.0.1:{process.http}",
        )

    def _start_container(self, line: Line) -> Server:
        from testcontainers.community.neo4j import Neo4jContainer

        password = secrets.token_hex(12)
        container = Neo4jContainer(f"neo4j:{DISTRIBUTIONS[line].version}", username="neo4j", password=password)
        container.with_env("NEO4J_dbms_usage__report_enabled", "false")
        container.with_env("NEO4J_server_memory_heap_max__size", "1g").with_exposed_ports(7474)
        self._stops.append(container.start().stop)
        http = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(7474)}"
        return Server(line=line, url=container.get_connection_url(), user="neo4j", password=password, http=http)


def docker_answers() -> bool:
    """Whether a Docker engine can be asked; in its own process, as the client leaves sockets open when it fails."""
    ask = [sys.executable, "-c", "import docker; docker.from_env(timeout=3).ping()"]
    return subprocess.run(ask, capture_output=True, check=False).returncode == 0


def main() -> None:
    servers = Servers({})
    try:
        line = "; ".join(str(servers.server(line)) for line in LINES)
        print(f"RETINUE_TEST_NEO4J='{line}'", flush=True)  # noqa: T201 - what the command is for
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        servers.stop()


if __name__ == "__main__":
    main()
