"""What is not there makes tests skip loudly, or fail where it is required; servers end with whoever started them."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from kit import needs
from kit.servers.neo4j_maven import TETHER, Distribution, Unavailable, fetch, java_of
from kit.servers.neo4j_servers import LINES, Servers


def test_an_absent_need_skips_with_reason_and_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_REQUIRE", "neural, shared")
    with pytest.raises(pytest.skip.Exception, match="needs neo4j: no Java; to run it: install one"):
        needs.lacking("neo4j", reason="no Java", command="install one")


def test_a_required_need_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_REQUIRE", "neural,neo4j")
    with pytest.raises(pytest.fail.Exception, match="no Java"):
        needs.lacking("neo4j", reason="no Java", command="install one")


def test_an_unknown_need_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_REQUIRE", "neo4j,neo5j")
    with pytest.raises(pytest.UsageError, match="neo5j"):
        needs.required()


def test_without_java_or_maven_the_reason_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(Unavailable, match="no Java 17 or newer"):
        java_of(at_least=17)
    with pytest.raises(Unavailable, match="no `mvn`"):
        fetch(Distribution(version="0", java=17, main="none"))


def test_the_oldest_java_that_will_do_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for version in ("1.8.0_400", "25", "17.0.9", "21.0.1"):
        java = tmp_path / version / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", encoding="utf-8")
        java.chmod(0o755)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / '1.8.0_400' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert java_of(at_least=17) == str(tmp_path / "17.0.9" / "bin" / "java")
    assert java_of(at_least=18) == str(tmp_path / "21.0.1" / "bin" / "java")
    with pytest.raises(Unavailable, match=r"no Java 26 or newer \(found: 8, 17, 21, 25\)"):
        java_of(at_least=26)


def test_given_servers_are_all_there_is() -> None:
    servers = Servers({"RETINUE_TEST_NEO4J": " ; "})
    for line in LINES:
        with pytest.raises(Unavailable, match=f"names no server of the line {line}"):
            servers.server(line)


def test_a_server_ends_when_whoever_started_it_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "server"
    folder.mkdir()
    command = ["sh", "-c", TETHER, "sh", str(folder), "sh", "-c", 'echo $$ > "$0/pid"; exec sleep 600', str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as shell:
        until = time.monotonic() + 10
        while not (folder / "pid").exists() or not (folder / "pid").read_text(encoding="utf-8").strip():
            assert time.monotonic() < until
        server = int((folder / "pid").read_text(encoding="utf-8"))
        os.kill(server, 0)
        assert shell.stdin
        shell.stdin.close()  # as the kernel does for a process that was killed
        shell.wait(timeout=10)
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)
    while folder.exists():
        assert time.monotonic() < until
        time.sleep(0.05)
