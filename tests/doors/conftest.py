"""What the tests of the doors share: services over an embedded store, the server's application, the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.rest.app import create_app
from api.settings import read_settings
from api.wiring import Services, open_services

CATALOGUE = {
    "objects": [
        {"id": "loan", "kind": "table", "name": "loan", "description": "loans granted to accounts"},
        {
            "id": "loan.amount",
            "kind": "attribute",
            "table": "loan",
            "name": "amount",
            "description": "amount in crowns",
        },
        {"id": "loan.account_id", "kind": "attribute", "table": "loan", "name": "account_id"},
        {"id": "account", "kind": "table", "name": "account", "description": "accounts of the bank"},
        {"id": "account.id", "kind": "attribute", "table": "account", "name": "id"},
        {"id": "account.A4", "kind": "attribute", "table": "account", "name": "A4", "description": "district code"},
    ],
    "references": [["loan.account_id", "account.id"]],
}
BASE = "/v1/workspaces/default"


@pytest.fixture
def services() -> Iterator[Services]:
    with open_services(read_settings({}, store="memory://", encoder="none")) as opened:
        yield opened


@pytest.fixture
def client(services: Services) -> Iterator[TestClient]:
    with TestClient(create_app(services, refresh=False)) as client:
        yield client


@pytest.fixture
def stocked(client: TestClient) -> TestClient:
    """The application over a workspace `default` that holds a small bank."""
    reply = client.post(f"{BASE}/objects", json=CATALOGUE)
    assert reply.status_code == 200, reply.text
    assert reply.json()["imported"] == 6
    return client


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return json.loads(self.out)


Retinue = Callable[..., Ran]


@pytest.fixture
def retinue(tmp_path: Path) -> Retinue:
    """Runs the command in a process of its own, on a store of its own, as people run it."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("RETINUE_")},
        "HOME": str(tmp_path),
        "RETINUE_STORE": f"sqlite:///{tmp_path / 'retinue.db'}",
        "RETINUE_ENCODER": "none",
    }

    def run(*arguments: str, stdin: str = "", **variables: str | None) -> Ran:
        given = {key: value for key, value in {**environment, **variables}.items() if value is not None}
        done = subprocess.run(
            [sys.executable, "-c", "from api.cli import main; main()", *arguments],
            input=stdin,
            env=given,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return Ran(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A file with the small bank."""
    file = tmp_path / "bank.json"
    file.write_text(json.dumps(CATALOGUE), encoding="utf-8")
    return file
