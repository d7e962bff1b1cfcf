"""What is in the wheel, and what its base install brings along and imports."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from kit.installation import Installation

MOST_PACKAGES = 35
MOST_MEGABYTES = 250
NEVER_IN_BASE = {"torch", "sentence-transformers", "transformers", "scikit-learn", "scipy", "matplotlib", "pandas"}
HEAVY = {"torch", "sentence_transformers", "transformers", "sklearn", "scipy", "matplotlib"}
SERVER = {"fastapi", "starlette", "uvicorn", "prometheus_client"}

# Runs the command as the console script does, then says which top-level modules it has loaded.
LOADED = """\
import json, sys
from api.cli import main
sys.argv = {argv!r}
try:
    main()
except SystemExit as exit:
    assert not exit.code, exit.code
sys.stderr.write("\\n" + json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})))
"""


def test_the_wheel_holds_the_four_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"api", "services", "graph", "cypher"}
    assert {"services/domains/czech_bank.json", "services/studies/retention/phrases.toml"} <= set(names)
    assert any(name.startswith("cypher/") and name.endswith(".cypher") for name in names)
    assert not [name for name in names if "__pycache__" in name]


def test_the_wheel_cannot_be_uploaded_by_mistake(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        name = next(entry for entry in archive.namelist() if entry.endswith("/METADATA"))
        assert "Classifier: Private :: Do Not Upload" in archive.read(name).decode()


@pytest.mark.fault(95)
def test_the_base_install_is_light(installation: Installation) -> None:
    packages = {path.name.split("-")[0].replace("_", "-").lower() for path in distributions(installation)}
    assert len(packages) <= MOST_PACKAGES, sorted(packages)
    assert packages & NEVER_IN_BASE == set()
    files = (path for path in installation.site_packages.rglob("*") if path.is_file() and not path.is_symlink())
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    assert megabytes <= MOST_MEGABYTES


def distributions(installation: Installation) -> list[Path]:
    return sorted(installation.site_packages.glob("*.dist-info"))


@pytest.mark.fault(93)
def test_help_loads_no_driver_model_or_server(installation: Installation) -> None:
    loaded = modules_loaded_by(installation, "--help")
    assert loaded & (HEAVY | SERVER | {"neo4j", "networkx", "sqlglot", "numpy"}) == set()


@pytest.mark.fault(93)
@pytest.mark.parametrize("kind", ["memory://", "sqlite:///{work}/hygiene.sqlite"])
def test_a_lexical_discover_loads_only_what_it_needs(installation: Installation, kind: str) -> None:
    store = kind.format(work=installation.work)
    arguments = ("--store", store, "discover", "unpaid loans")
    loaded = modules_loaded_by(installation, *arguments)
    assert loaded & (HEAVY | SERVER | {"neo4j", "sqlglot"}) == set()


def modules_loaded_by(installation: Installation, *arguments: str) -> set[str]:
    script = installation.work / "loaded.py"
    script.write_text(LOADED.format(argv=["retinue", *arguments]), encoding="utf-8")
    done = installation.run("python loaded.py")
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.fault(113)
def test_python_without_loadable_sqlite_extensions_is_enough(installation: Installation) -> None:
    forbidding = (
        "import sqlite3\n"
        "class Plain(sqlite3.Connection):\n"
        "    enable_load_extension = None\n"
        "    load_extension = None\n"
        "_connect = sqlite3.connect\n"
        "sqlite3.connect = lambda *a, **k: _connect(*a, **{'factory': Plain, **k})\n"
        "import sys\n"
        "from api.cli import main\n"
        "sys.argv = ['retinue', 'demo']\n"
        "main()\n"
    )
    (installation.work / "plain.py").write_text(forbidding, encoding="utf-8")
    done = installation.run("python plain.py")
    assert done.returncode == 0, done.stderr
