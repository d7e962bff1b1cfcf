"""Reported faults of the kind: a file, a process, a folder or a setting was not as hoped (`docs/faults.md`).

Commands run as processes of their own, as people run them.
"""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import httpx2
import neo4j
import pytest

from graph.embedded import open_store
from graph.evidence import Question, Scores
from graph.neo4j import open_store as open_neo4j
from kit.servers.neo4j_servers import Server
from kit.shells import Shell
from services.catalogue_index import CatalogueIndexes
from services.discovery.expectations import form_of

DDL = "CREATE TABLE orders (total INTEGER, placed_on DATE);"


@pytest.fixture
def retinue(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    (tmp_path / "shop.sql").write_text(DDL, encoding="utf-8")
    return shell


@pytest.mark.fault(13)
def test_what_was_written_is_there_after_a_restart(retinue: Shell) -> None:
    assert retinue("catalog", "import", "shop.sql").returncode == 0
    assert retinue("learn", "revenue", "--sql", "SELECT total FROM orders").returncode == 0
    answers = [json.loads(retinue("--json", "discover", "revenue").stdout)["results"] for _ in range(2)]
    assert answers[0] == answers[1]
    assert [hit["id"] for hit in answers[0]] == ["orders", "orders.total"]
    assert answers[0][0]["memories"]


@pytest.mark.fault(26)
def test_a_killed_writer_leaves_nothing_locked_and_nothing_acknowledged_is_lost(retinue: Shell, tmp_path: Path) -> None:
    retinue("catalog", "import", "shop.sql")
    lines = [json.dumps({"intent": f"question {n}", "sql": "SELECT total FROM orders"}) for n in range(100_000)]
    (tmp_path / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    writer = retinue.start("learn", "--from", "log.jsonl")
    committed = 0
    assert writer.stderr is not None
    for line in writer.stderr:
        if line.startswith("committed "):
            committed = int(line.split()[1])
            break
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert committed > 0
    shown = retinue("--json", "workspace", "show", "default")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["memories"] >= committed
    assert retinue("learn", "afterwards", "--sql", "SELECT total FROM orders").returncode == 0


WRITER = """\
import sys, threading
from api.wiring import now
from graph.embedded import open_store
from services.memories import Feedback, MemoryService
store = open_store(sys.argv[1])
service = MemoryService(store, None, now)
failed = []
def write(worker):
    try:
        for n in range(int(sys.argv[3])):
            intent = f"{sys.argv[2]} {worker} {n}"
            service.remember("default", intent, ["orders.total"], evidence=Feedback(kind="confirmed"))
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=write, args=(worker,)) for worker in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
store.close()
sys.exit("; ".join(failed[:3]) or 0)
"""


@pytest.mark.fault(25)
def test_two_processes_with_sixteen_writers_each_lose_nothing(retinue: Shell, tmp_path: Path) -> None:
    each = 25
    url = f"sqlite:///{tmp_path / 'shared.sqlite'}"
    retinue("--store", url, "catalog", "import", "shop.sql")
    command = [sys.executable, "-c", WRITER, url]
    writers = [
        subprocess.Popen([*command, name, str(each)], env=retinue.environment, stderr=subprocess.PIPE, text=True)
        for name in ("one", "two")
    ]
    said = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], said
    shown = json.loads(retinue("--store", url, "--json", "workspace", "show", "default").stdout)
    assert shown["memories"] == 2 * 16 * each


@pytest.mark.fault(9)
def test_a_reset_leaves_no_row_in_the_file(retinue: Shell, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'graph.sqlite'}"
    retinue("--store", url, "--workspace", "other", "catalog", "import", "shop.sql")
    retinue("--store", url, "catalog", "import", "shop.sql")
    retinue("--store", url, "learn", "revenue of xyzzy", "--sql", "SELECT total FROM orders")
    retinue("--store", url, "discover", "revenue of xyzzy")
    assert "xyzzy" in rows_of(tmp_path / "graph.sqlite")
    assert retinue("--store", url, "workspace", "reset", "default", "--yes").returncode == 0
    left = rows_of(tmp_path / "graph.sqlite")
    assert "xyzzy" not in left
    assert "orders" in left  # the other workspace's
    assert retinue("--store", url, "workspace", "delete", "other", "--yes").returncode == 0
    assert "orders" not in rows_of(tmp_path / "graph.sqlite")


def rows_of(file: Path) -> str:
    """All rows of all tables, as one text."""
    with closing(sqlite3.connect(file)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return "\n".join(str(row) for name in tables for row in connection.execute(f'SELECT * FROM "{name}"'))


@pytest.mark.fault(100)
@pytest.mark.parametrize("home", ["missing", "a file"])
def test_a_home_that_cannot_be_written_is_said_and_a_store_of_ones_own_works(tmp_path: Path, home: str) -> None:
    place = tmp_path / "home"
    if home == "a file":
        place.write_text("", encoding="utf-8")
    retinue = Shell(place / "inside" if home == "a file" else place)
    done = retinue("--json", "discover", "x")
    assert done.returncode in {0, 6}
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert "RETINUE_STORE" in done.stderr or "--store" in done.stderr
    assert retinue("--store", f"sqlite:///{tmp_path / 'mine' / 'graph.sqlite'}", "discover", "x").returncode == 0


@pytest.mark.fault(98)
@pytest.mark.parametrize("half", ["RETINUE_NEO4J_USER", "RETINUE_NEO4J_PASSWORD"])
def test_half_of_the_credentials_is_an_error_at_the_start(retinue: Shell, half: str) -> None:
    done = retinue("discover", "x", RETINUE_STORE="neo4j://127.0.0.1:1", **{half: "neo4j"})
    assert done.returncode == 2
    assert "RETINUE_NEO4J" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.fault(48, 102)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--store", "neo4j://127.0.0.1:1", "discover", "x"), 6),
        (("--store", "neo4j://127.0.0.1:1", "reindex"), 6),
        (("--workspace", "nowhere", "reindex"), 3),
        (("--workspace", "nowhere", "discover", "x"), 3),
        (("catalog", "import", "no-such-file.json"), 5),
        (("memory", "show", "m_000000000000000000000000"), 3),
        (("discover", ""), 5),
        (("discover",), 2),
        (("learn", "x", "--sql", "this is no statement"), 5),
    ],
)
def test_what_failed_does_not_exit_with_zero(retinue: Shell, arguments: tuple[str, ...], code: int) -> None:
    done = retinue(*arguments, RETINUE_NEO4J_USER="neo4j", RETINUE_NEO4J_PASSWORD="wrong-password")
    assert done.returncode in ({2, 3, 5} if "no-such-file.json" in arguments else {code}), done.stderr
    assert done.stderr
    assert "Traceback" not in done.stderr
    assert "wrong-password" not in done.stderr + done.stdout


@pytest.mark.fault(48)
def test_a_damaged_file_is_an_error_and_not_an_empty_answer(retinue: Shell, tmp_path: Path) -> None:
    (tmp_path / "damaged.sqlite").write_bytes(b"this is no database, " * 400)
    done = retinue("--store", f"sqlite:///{tmp_path / 'damaged.sqlite'}", "--json", "discover", "x")
    assert done.returncode == 6
    assert json.loads(done.stdout)["error"]["type"] == "store-unavailable"
    assert "Traceback" not in done.stderr


@pytest.mark.fault(99)
def test_opening_and_closing_two_hundred_times_keeps_no_file_open(tmp_path: Path) -> None:
    files = Path("/proc/self/fd")
    if not files.is_dir():
        pytest.skip("open files cannot be counted here; to run it: make test on Linux")
    url = f"sqlite:///{tmp_path / 'graph.sqlite'}"
    open_store(url).close()
    before = len(list(files.iterdir()))
    for _ in range(200):
        open_store(url).close()
    assert len(list(files.iterdir())) <= before + 1


@pytest.mark.fault(99)
def test_opening_and_closing_many_times_keeps_no_connection_open(neo4j_server: Server) -> None:
    credentials = (neo4j_server.user, neo4j_server.password)

    def connections(driver: neo4j.Driver) -> int:
        counted = driver.execute_query("CALL dbms.listConnections() YIELD connectionId RETURN count(*) AS n")
        return int(counted.records[0]["n"])

    with neo4j.GraphDatabase.driver(neo4j_server.url, auth=credentials) as driver:
        before = connections(driver)
        for _ in range(10):
            open_neo4j(neo4j_server.url, user=credentials[0], password=credentials[1]).close()
        assert connections(driver) <= before + 1


def test_a_server_started_beyond_loopback_without_keys_refuses(retinue: Shell) -> None:
    started = time.monotonic()
    done = retinue("serve", RETINUE_HOST="0.0.0.0", RETINUE_PORT="0")
    assert done.returncode == 7
    assert "RETINUE_API_KEYS_FILE" in done.stderr
    assert time.monotonic() - started < 60


@pytest.mark.fault(26)
def test_a_writer_that_is_killed_holds_up_no_other(retinue: Shell, tmp_path: Path) -> None:
    each = 40
    url = f"sqlite:///{tmp_path / 'shared.sqlite'}"
    retinue("--store", url, "catalog", "import", "shop.sql")
    command = [sys.executable, "-c", WRITER, url]
    killed, living = (
        subprocess.Popen([*command, name, count], env=retinue.environment, stderr=subprocess.PIPE, text=True)
        for name, count in (("killed", "100000"), ("living", str(each)))
    )

    def memories(of: str) -> int:
        with closing(open_store(url)) as store:
            return sum(text.startswith(of) for _, text in store.changes("default", since=0).intents)

    until = time.monotonic() + 60
    while not memories("killed"):
        assert time.monotonic() < until
    killed.kill()
    killed.communicate()
    left = memories("killed")
    assert living.communicate(timeout=120)[1] == ""
    assert living.returncode == 0
    assert memories("living") == 16 * each
    assert memories("killed") == left > 0


@pytest.mark.fault(12)
def test_what_follows_from_a_write_is_made_up_for_after_a_kill(retinue: Shell, tmp_path: Path) -> None:
    """The answer to a write is given before what follows from it is done; a server killed in between does it later."""
    url = f"sqlite:///{tmp_path / 'served.sqlite'}"

    def serve() -> tuple[subprocess.Popen[str], str]:
        process = retinue.start("--store", url, "serve", "--port", "0")
        assert process.stderr is not None
        found = re.search(r"http://\S+:\d+", line := process.stderr.readline())
        assert found is not None, line
        return process, f"{found.group()}/v1/workspaces/default"

    def foreseen() -> int:
        with closing(open_store(url)) as store:
            registry = CatalogueIndexes(store).current("default")
            asked = Question(intents=Scores(ids=tuple(sorted(registry.intents)), values=(1.0,)), form=form_of(None))
            return sum(found.expected is not None for found in store.evidence("default", asked).memories)

    retinue("--store", url, "catalog", "import", "shop.sql")
    process, address = serve()
    reply = httpx2.post(f"{address}/learn", json={"intent": "revenue", "sql": "SELECT total FROM orders"})
    process.kill()
    process.communicate()
    assert reply.status_code == 200
    process, _ = serve()
    until = time.monotonic() + 30
    while not foreseen():
        assert time.monotonic() < until
        time.sleep(0.05)
    process.terminate()
    process.communicate()
    shown = json.loads(retinue("--store", url, "--json", "memory", "list").stdout)
    assert [each["intent"] for each in shown["memories"]] == ["revenue"]
