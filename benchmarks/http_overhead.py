"""What REST adds to an answer: POST /discover on loopback beside the service call that it makes, pair by pair.

The server is a process of its own over a copy of the file; the client is `http.client`. A single request varies by more
than REST adds, so there are many pairs, and the figure is the median of their differences with its interval.
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
from statistics import median

from benchmarks.discover_embedded import WARM, answering
from benchmarks.filling import Filled, fill
from benchmarks.opening import RETINUE, ROOT
from benchmarks.rows import Row, all_in_turn, paired_difference
from benchmarks.synthetic import warehouse
from graph.embedded import open_store

PAIRS = 400


def http_overhead(size: int) -> Iterator[Row]:
    made = warehouse(size, questions=PAIRS + WARM)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "service.db", Path(folder) / "server.db"]
        with Filled(open_store(f"sqlite:///{files[0]}")) as services:
            fill(services, "bench", made)
            # else the server makes all expectations in the background, beside the questions measured
            services.discovery.refresh("bench", limit=size)
        shutil.copy(*files)
        with Filled(open_store(f"sqlite:///{files[0]}")) as services, served(f"sqlite:///{files[1]}") as connection:
            posted, called = all_in_turn(
                lambda n: lambda: ask(connection, made.questions[n]),
                answering(services.discovery, made),
                rounds=PAIRS,
                warm=WARM,
            )
    difference = paired_difference(posted, called)
    yield Row(
        name="http_overhead",
        size=size,
        seconds=median(posted),
        baseline="the same question to the discovery service, in process",
        baseline_seconds=median(called),
        note=f"{in_words(difference)} the service call, {PAIRS} pairs, one keep-alive connection",
        difference=difference,
    )


def in_words(difference: tuple[float, float, float]) -> str:
    """Return how much is added, or that it is within the noise."""
    added, low, high = (1e3 * seconds for seconds in difference)
    if low <= 0 <= high:
        return f"below the noise of {high - low:.2f} ms: nothing shown over"
    return f"{added:.2f} ms ({low:.2f} to {high:.2f}) over"


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
            lines = iter(process.stdout.readline, "")
            address = next((found for line in lines if (found := re.search(r"http://([^:/\s]+):(\d+)", line))), None)
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
