"""A whole log in one call: POST of many chunks with their premises on loopback, beside the same call in process."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

from benchmarks.filling import Filled
from benchmarks.http_overhead import served
from benchmarks.rows import Row, timed
from graph.embedded import open_store
from services.sessions.inputs import GivenChunk

SESSION = "/v1/workspaces/bench/sessions/log"


def chunks_at_once(size: int) -> Iterator[Row]:
    given = [
        GivenChunk(id=f"c{i}", text=f"step {i} rests on step {i // 2}", premises=(f"c{i // 2}",) if i else ())
        for i in range(size)
    ]
    body = json.dumps({"chunks": [{"id": it.id, "text": it.text, "premises": it.premises} for it in given]})
    with tempfile.TemporaryDirectory() as folder:
        with Filled(open_store(f"sqlite:///{Path(folder) / 'service.db'}")) as services:
            services.workspaces.ensure("bench")
            services.sessions.create("bench", "log")
            own = timed(partial(services.sessions.add_chunks, "bench", "log", given))
        with served(f"sqlite:///{Path(folder) / 'server.db'}") as connection:
            _ask(connection, "PUT", "/v1/workspaces/bench")
            _ask(connection, "PUT", SESSION)
            posted = timed(partial(_ask, connection, "POST", f"{SESSION}/chunks", body))
    yield Row(
        name="chunks_at_once",
        size=size,
        seconds=posted,
        baseline="the same chunks to the session service, in process",
        baseline_seconds=own,
        note=f"{size / posted:,.0f} chunks/s with a premise each, {len(body) / 2**20:.0f} MB in one POST",
    )


def _ask(connection: HTTPConnection, method: str, path: str, body: str | None = None) -> None:
    connection.request(method, path, body=body, headers={"Content-Type": "application/json"})
    reply = connection.getresponse()
    body = reply.read()
    assert reply.status in (200, 201), body
