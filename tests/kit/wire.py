"""What travels between a store and its Neo4j server: bytes through a relay, and queries by the driver's own log.

The relay only passes bytes on; what may travel is for a test to say.
"""

from __future__ import annotations

import logging
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(slots=True)
class Traffic:
    """Bytes that the server sent, and the queries and records of the driver's log, since `clear`."""

    received: int = 0
    queries: list[str] = field(default_factory=list)
    records: int = 0

    def clear(self) -> None:
        self.received, self.records = 0, 0
        self.queries.clear()


class Listener(logging.Handler):
    """Counts what the driver says that it sent and got."""

    def __init__(self, traffic: Traffic) -> None:
        super().__init__(logging.DEBUG)
        self._traffic = traffic

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        if query := re.search(r"C: RUN (.{0,60})", said):
            self._traffic.queries.append(query[1])
        if records := re.search(r"S: RECORD \* (\d+)", said):
            self._traffic.records += int(records[1])


@contextmanager
def observed(url: str) -> Iterator[tuple[str, Traffic]]:
    """The address of a relay to a `bolt://` server, and the traffic through it."""
    traffic, there = Traffic(), urlsplit(url)
    listener, log = Listener(traffic), logging.getLogger("neo4j.io")
    before = log.level
    with socket.create_server(("127.0.0.1", 0)) as door:
        taking = threading.Thread(
            target=_take, args=(door, (there.hostname or "127.0.0.1", there.port or 7687), traffic), daemon=True
        )
        taking.start()
        log.addHandler(listener)
        log.setLevel(logging.DEBUG)
        try:
            yield f"bolt://127.0.0.1:{door.getsockname()[1]}", traffic
        finally:
            log.setLevel(before)
            log.removeHandler(listener)
            door.shutdown(socket.SHUT_RDWR)
            taking.join(10)


def _take(door: socket.socket, there: tuple[str, int], traffic: Traffic) -> None:
    with suppress(OSError):  # the door was shut
        while True:
            client, _ = door.accept()
            server = socket.create_connection(there)
            threading.Thread(target=_pass, args=(client, server, None), daemon=True).start()
            threading.Thread(target=_pass, args=(server, client, traffic), daemon=True).start()


def _pass(source: socket.socket, target: socket.socket, traffic: Traffic | None) -> None:
    """Passes bytes on until one end closes; each direction closes what it reads from."""
    with source, suppress(OSError):
        while data := source.recv(65536):
            if traffic is not None:
                traffic.received += len(data)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
