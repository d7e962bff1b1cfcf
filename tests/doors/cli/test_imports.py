"""What a command loads: help loads no library that it does not need, a discovery from words no driver and no model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LOOK = """
import json, sys
from api.cli.running import run
code = run(json.loads(sys.argv[1]))
loaded = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps([code, loaded]), file=sys.stderr)
"""
# pydantic is not among them: Typer itself loads it
HEAVY = {"neo4j", "numpy", "networkx", "sqlite3", "fastapi", "uvicorn", "sqlglot", "torch", "rich",
         "sentence_transformers", "prometheus_client", "scipy", "sklearn", "matplotlib", "pandas"}  # fmt: skip


def loaded_by(arguments: list[str], *, store: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOOK, json.dumps(arguments)],
        env={"PATH": "/usr/bin:/bin", "RETINUE_STORE": store, "RETINUE_ENCODER": "none"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    code, loaded = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return set(loaded)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["discover", "--help"], ["catalog", "import", "--help"], ["key", "new"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert not loaded_by(arguments, store="memory://") & HEAVY


def test_a_discovery_from_words_loads_no_driver_server_or_model(tmp_path: Path, bank: Path) -> None:
    store = f"sqlite:///{tmp_path / 'r.db'}"
    loaded_by(["catalog", "import", str(bank)], store=store)
    loaded = loaded_by(["discover", "amount of loans"], store=store)
    assert "numpy" in loaded
    needed = {"numpy", "networkx", "sqlite3"}
    assert not loaded & (HEAVY - needed)
