"""`retinue serve` as a process: where it says it is, how it stops, and what is there when it comes back."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from api.keys import Key, digest_of, key_line

COMMAND = [sys.executable, "-c", "from api.cli import main; main()"]
BASE = "/v1/workspaces/default"


@contextmanager
def served(folder: Path, *arguments: str, **variables: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    environment = {
        "PATH": os.environ["PATH"],
        "RETINUE_STORE": f"sqlite:///{folder / 'r.db'}",
        "RETINUE_ENCODER": "none",
        **variables,
    }
    command = [*COMMAND, "serve", "--port", "0", *arguments]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r"http://\S+:\d+", line)
            assert found is not None, line + process.stderr.read()
            yield found.group(), process
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(30)


def test_it_says_where_it_is_stops_in_order_and_keeps_what_was_written(tmp_path: Path) -> None:
    body = {"objects": [{"id": "t", "kind": "table", "name": "t", "description": "turnover"}]}
    with served(tmp_path) as (address, process):
        assert httpx2.post(f"{address}{BASE}/objects", json=body).json()["imported"] == 1
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
        assert out == ""
        assert "Traceback" not in err
        assert process.returncode == 0
    with served(tmp_path) as (address, process):
        found = httpx2.post(f"{address}{BASE}/discover", json={"intent": "turnover"}).json()
        assert [hit["id"] for hit in found["results"]] == ["t"]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_many_with_keys_at_once_are_all_answered(tmp_path: Path) -> None:
    keys = tmp_path / "keys.toml"
    keys.write_text(key_line(Key(name="k", sha256=digest_of("s"), role="write", workspaces=None)), encoding="utf-8")
    with served(tmp_path, RETINUE_API_KEYS_FILE=str(keys)) as (address, _):

        def ask(_: int) -> int:
            headers = {"Authorization": "Bearer s"}
            return httpx2.post(
                f"{address}{BASE}/discover", json={"intent": "x"}, headers=headers, timeout=30
            ).status_code

        with ThreadPoolExecutor(50) as pool:
            assert set(pool.map(ask, range(100))) == {200}
        assert httpx2.get(f"{address}/v1/workspaces").status_code == 401


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*COMMAND, "serve", "--port", port],
            env={"PATH": os.environ["PATH"], "RETINUE_STORE": "memory://", "RETINUE_ENCODER": "none"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert port in done.stderr
    assert "Traceback" not in done.stderr


def test_ids_with_slashes_travel_over_a_real_connection(tmp_path: Path) -> None:
    body = {"objects": [{"id": "a/b", "kind": "table", "name": "t"}]}
    with served(tmp_path) as (address, _):
        httpx2.post(f"{address}{BASE}/objects", json=body)
        assert httpx2.get(f"{address}{BASE}/objects/a%2Fb").json()["id"] == "a/b"
        assert httpx2.get(f"{address}{BASE}/objects/a/b").status_code == 404


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_the_world_needs_keys(host: str) -> None:
    done = subprocess.run(
        [*COMMAND, "serve", "--host", host],
        env={"PATH": os.environ["PATH"], "RETINUE_STORE": "memory://", "RETINUE_ENCODER": "none"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 7
    assert "RETINUE_API_KEYS_FILE" in done.stderr
