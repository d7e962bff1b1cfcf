"""The documents name every command, option, setting, exit code, route and problem that there is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from api.cli import exits
from api.cli.app import command
from api.rest.problems import STATUS
from api.settings import VARIABLES
from graph import errors

DOCS = Path(__file__).parents[2] / "docs"
CLI = (DOCS / "cli.md").read_text(encoding="utf-8")
REST = (DOCS / "rest.md").read_text(encoding="utf-8")


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, inner in group.commands.items():
        where = f"{path} {name}".strip()
        if hasattr(inner, "commands"):
            yield from commands(inner, where)
        else:
            yield where, inner


def test_every_command_and_option_is_mentioned() -> None:
    found = dict(commands(command()))
    assert len(found) > 20
    for path, inner in found.items():
        assert f"`{path}" in CLI, path
        for parameter in inner.params:
            for option in (name for name in parameter.opts if name.startswith("--") and name != "--help"):
                assert option in CLI, (path, option)


def test_no_command_is_mentioned_that_is_not_there() -> None:
    table = CLI.partition("## Commands")[2]
    told = {
        re.sub(r" (\[?[A-Z-]).*", "", span)
        for line in table.splitlines()
        for span in re.findall(r"`([^`]+)`", line.split("|")[1] if "|" in line else "")
    }
    assert {name for name in told if name != "command"} == set(dict(commands(command())))


def test_every_setting_is_mentioned() -> None:
    assert [name for name in VARIABLES if f"`{name}`" not in CLI] == []


def test_every_exit_code_is_mentioned() -> None:
    codes = {value for value in vars(exits).values() if isinstance(value, int)}
    told = {
        int(code) for code in re.findall(r"\b\d+\b", " ".join(re.findall(r"^\| ([\d, ]+) \|", CLI, flags=re.MULTILINE)))
    }
    assert told == codes


def test_every_route_and_parameter_is_mentioned(client: TestClient) -> None:
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            [line] = [
                row
                for row in REST.splitlines()
                if re.search(
                    rf"{method.upper()}\b.*{re.escape(path)}`", row.split("|")[1] if row.startswith("|") else ""
                )
            ]
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query":
                    assert f"`{parameter['name']}`" in line, (path, parameter["name"])


def test_every_problem_is_mentioned() -> None:
    found = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.RetinueError)]
    for cls in found:
        if any(base in STATUS for base in cls.__mro__):
            assert f"`{cls.slug}`" in REST, cls.slug
