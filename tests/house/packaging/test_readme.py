"""The README's commands and figures, tried from a built wheel, outside the checkout and without a network.

A fenced block marked `sh` is run; a block marked `text` right below it is what it must print.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass

import pytest

from kit.installation import CHECKOUT, Installation
from kit.servers.neo4j_maven import free_ports
from kit.servers.neo4j_servers import Server

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
FIGURES = CHECKOUT / "docs" / "figures" / "demo.json"
OF_A_CHECKOUT = ("make ", "git ", "cd ", "docker ")  # commands for somebody who has the source
SERVE = "retinue serve &"
SERVE_AND_WAIT = """retinue serve & trap "kill $!; wait $! || true" EXIT
for _ in $(seq 100); do curl -s -o answer http://127.0.0.1:8765/readyz && break || sleep .1; done"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The commands of one block, and what they must print (None: not said)."""

    script: str
    output: str | None


def blocks() -> list[Block]:
    found = re.findall(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", README, flags=re.MULTILINE | re.DOTALL)
    kept = []
    for script, output in found:
        lines = [line for line in script.splitlines() if not line.startswith(OF_A_CHECKOUT)]
        if lines:
            kept.append(Block(script="\n".join(lines), output=output or None))
    return kept


@pytest.mark.fault(96, 114)
def test_the_tour_runs_from_a_wheel_without_a_network(installation: Installation) -> None:
    home = installation.home / "tour"
    home.mkdir()
    tried = [block for block in blocks() if "neo4j://" not in block.script]
    served = [block for block in tried if SERVE in block.script]
    assert len(tried) >= 3
    assert len(served) == 1
    for block in tried:
        if block in served and not shutil.which("curl"):
            pytest.skip("needs curl for the REST commands; to run it: apt-get install curl")
        (port,) = free_ports(1)
        script = block.script.replace(SERVE, SERVE_AND_WAIT).replace(":8765", f":{port}")
        done = installation.run(script, HOME=str(home), RETINUE_PORT=str(port))
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        assert '"title"' not in done.stdout, f"a problem and not an answer: {done.stdout}"
        if block.output is not None:
            assert done.stdout == block.output, script


def test_the_same_commands_run_on_neo4j(installation: Installation, neo4j_server: Server) -> None:
    (block,) = [block for block in blocks() if "neo4j://" in block.script]
    script = re.sub(r"neo4j://\S+", neo4j_server.url, block.script)
    script = re.sub(r"(RETINUE_NEO4J_USER)=\S+", rf"\1={neo4j_server.user}", script)
    script = re.sub(r"(RETINUE_NEO4J_PASSWORD)=\S+", rf"\1={neo4j_server.password}", script)
    done = installation.run(script)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_the_figures_are_those_of_a_run(installation: Installation) -> None:
    committed = json.loads(FIGURES.read_text(encoding="utf-8"))
    done = installation.run("retinue --store memory:// --json demo")
    assert done.returncode == 0, done.stderr
    assert rows_of(json.loads(done.stdout)) == committed
    means = {arm: mean_of(committed, arm) for arm in ("without_memory", "with_memory")}
    quoted = re.search(r"F1@5 of (\.\d\d) without memory and (\.\d\d) with it", README)
    assert quoted is not None
    assert quoted.groups() == tuple(f"{value:.2f}".removeprefix("0") for value in means.values())


def rows_of(demo: dict[str, list[dict[str, object]]]) -> list[dict[str, object]]:
    """What is committed of a run: one raw row a question, nothing averaged."""
    return [{key: row[key] for key in ("intent", "objects", "f1_at_5")} for row in demo["questions"]]


def mean_of(rows: list[dict[str, dict[str, float]]], arm: str) -> float:
    return sum(row["f1_at_5"][arm] for row in rows) / len(rows)


def test_every_command_is_mentioned(installation: Installation) -> None:
    done = installation.run("retinue --help")
    commands = re.findall(r"^  ([a-z]+)  ", done.stdout.partition("Commands:")[2], flags=re.MULTILINE)
    assert len(commands) >= 10
    assert [name for name in commands if f"`{name}" not in README and f"retinue {name}" not in README] == []
