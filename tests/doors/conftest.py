"""What the tests of the doors share: services over an embedded store, the server's application, the command line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.cli.running import run
from api.rest.app import create_app
from api.settings import read_settings
from api.wiring import Services, open_services
from kit.replies import CheckedClient

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
    with CheckedClient(create_app(services, refresh=False)) as client:
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
def retinue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Retinue:
    """Runs the command as its entry point does, on a store of its own; `None` unsets a variable."""
    for variable in [name for name in os.environ if name.startswith(("RETINUE_", "XDG_"))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RETINUE_STORE", f"sqlite:///{tmp_path / 'retinue.db'}")
    monkeypatch.setenv("RETINUE_ENCODER", "none")

    def ran(*arguments: str, stdin: str = "", **variables: str | None) -> Ran:
        out, err = Stream(BytesIO(), encoding="ascii"), Stream(BytesIO(), encoding="ascii")
        with monkeypatch.context() as here, redirect_stdout(out), redirect_stderr(err):
            here.setattr(sys, "stdin", Stream(BytesIO(stdin.encode()), encoding="utf-8"))
            for name, value in variables.items():
                here.delenv(name) if value is None else here.setenv(name, value)
            code = run(arguments)
        return Ran(code=code, out=out.text(), err=err.text())

    return ran


class Stream(TextIOWrapper):
    """A stream as a process has it, that can be looked at afterwards."""

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, BytesIO)
        return self.buffer.getvalue().decode()


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A file with the small bank."""
    file = tmp_path / "bank.json"
    file.write_text(json.dumps(CATALOGUE), encoding="utf-8")
    return file
