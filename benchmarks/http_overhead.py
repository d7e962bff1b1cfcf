"""What the REST door adds to an answer: POST /discover on loopback beside the service call it makes.

The server is a process of its own over a copy of the file, and the client is the plainest there is.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.discover_embedded import WARM, answering
from benchmarks.filling import Filled, fill
from benchmarks.opening import RETINUE, ROOT
from benchmarks.rows import ROUNDS, Row, in_turn
from benchmarks.synthetic import warehouse
from graph.embedded import open_store


def http_overhead(size: int) -> Iterator[Row]:
    made = warehouse(size, questions=ROUNDS + WARM)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "service.db", Path(folder) / "server.db"]
        with Filled(open_store(f"sqlite:///{files[0]}")) as services:
            fill(services, "bench", made)
            # the server would make all expectations behind, in its first seconds, beside the questions measured
            services.discovery.refresh("bench", limit=size)
        shutil.copy(*files)
        with Filled(open_store(f"sqlite:///{files[0]}")) as services, served(f"sqlite:///{files[1]}") as connection:
            spent = in_turn(
                lambda n: lambda: ask(connection, made.questions[n]), answering(services.discovery, made), warm=WARM
            )
    yield Row(
        name="http_overhead",
        size=size,
        seconds=spent[0],
        baseline="the same question to the discovery service, in process",
        baseline_seconds=spent[1],
        note=f"{1e3 * (spent[0] - spent[1]):.2f} ms over the service call, one keep-alive connection",
    )


@contextmanager
def served(url: str) -> Iterator[http.client.HTTPConnection]:
    """A connection to `retinue serve` over this store."""
    command = [*RETINUE, "--store", url, "serve", "--port", "0"]
    environment = {**os.environ, "RETINUE_ENCODER": "none", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = iter(process.stdout.readline, "")
            address = next((found for line in said if (found := re.search(r"http://([^:/\s]+):(\d+)", line))), None)
            if address is None:
                raise RuntimeError("the server did not say where it listens")
            connection = http.client.HTTPConnection(address[1], int(address[2]))
            yield connection
            connection.close()
        finally:
            process.terminate()


def ask(connection: http.client.HTTPConnection, intent: str) -> object:
    connection.request(
        "POST",
        "/v1/workspaces/bench/discover",
        body=json.dumps({"intent": intent}),
        headers={"Content-Type": "application/json"},
    )
    reply = connection.getresponse()
    body = reply.read()
    assert reply.status == 200, body
    return json.loads(body)
