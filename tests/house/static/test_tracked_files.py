"""No file of the project names a place that exists on one machine only, a package registry, or a secret."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]

# Spelled with a class of one letter, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a home or work folder": re.compile(r"/([r]oot|home/\w+|Users/\w+|[w]ork)/"),
    "a package registry": re.compile(r"[p]ypi\.org|python[h]osted|registry\.[n]pmjs|repo1?\.[m]aven|deb\.[d]ebian"),
    "an address inside a private network": re.compile(r"\b(10|192\.168)(\.\d{1,3}){2,3}\b(?!-)"),
    "a private key": re.compile("BEGIN [A-Z ]*PRIVATE [K]EY"),
    "a version with a local suffix": re.compile(r"==[\d.]+\+[a-z]"),
}


def tracked() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout, so there are no tracked files; to run it: make test in a clone")
    names = done.stdout.decode().split("\0")
    return [CHECKOUT / name for name in names if name and (CHECKOUT / name).is_file()]


def test_no_file_names_a_machine_a_registry_or_a_secret() -> None:
    files = tracked()
    found = [
        f"{path.relative_to(CHECKOUT)}:{number}: {what}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        for what, pattern in FORBIDDEN.items()
        if pattern.search(line)
    ]
    assert len(files) > 20
    assert found == []


def test_every_file_is_small_and_readable() -> None:
    odd = [path.name for path in tracked() if path.stat().st_size > 1_000_000 and path.suffix not in {".png", ".svg"}]
    assert odd == []


def test_no_package_marker_where_it_would_shadow_another_library() -> None:
    names = {str(path.relative_to(CHECKOUT)) for path in tracked()}
    assert not [name for name in names if name.startswith(("tests/", "docker/")) and name.endswith("__init__.py")]


def test_make_has_the_targets_that_people_rely_on() -> None:
    text = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)
    assert phony is not None
    assert phony[1].split() == ["demo", "check", "test", "thorough", "lint", "bench", "serve", "docs", "clean"]


def test_constraints_are_exact() -> None:
    lines = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    assert "torch==2.13.0" in pins
