"""Hints over REST name routes: no text that graph or services say keeps a command where a route does the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from api.rest.hints import routed

ROOT = Path(__file__).parents[3]
OF_THE_MACHINE = ("`retinue export`", "`retinue import`", "`retinue study")  # nothing does these over REST
FILES = [path for room in ("graph", "services") for path in sorted((ROOT / room).rglob("*.py"))]


def _texts(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_every_command_in_a_text_has_a_route() -> None:
    found = [text for path in FILES for text in _texts(path) if "`retinue " in text]
    assert len(found) > 10
    for text in found:
        said = routed(text + "x`" if text.endswith("create ") else text)
        for command in OF_THE_MACHINE:
            said = said.replace(command, "")
        assert "`retinue " not in said, text


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/v1/workspaces/nowhere", "Create it with PUT /v1/workspaces/nowhere"),
        ("/v1/workspaces/default/memories/m_1", "List the memories with GET /v1/workspaces/{workspace}/memories"),
        (
            "/v1/workspaces/default/sessions/s",
            "List the sessions with GET /v1/workspaces/{workspace}/sessions; "
            "PUT /v1/workspaces/{workspace}/sessions/{id} creates one",
        ),
    ],
)
def test_a_problem_names_the_route(client: TestClient, path: str, hint: str) -> None:
    assert client.get(path).json()["hint"] == hint


def test_options_are_fields() -> None:
    assert routed("if it is, import it with --force") == 'if it is, import it with "force": true'
