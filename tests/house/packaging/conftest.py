"""The wheel, and an environment that it was installed into; made once a test run (see `installation`)."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from kit.installation import CHECKOUT, LOOPBACK_ONLY, Installation, pip


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout as it is."""
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(CHECKOUT))
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel's base, installed by pip with the versions last tested."""
    folder = tmp_path_factory.mktemp("installed")
    made = Installation(environment=folder / "venv", work=folder / "work", home=folder / "home")
    venv.create(made.environment, with_pip=False)
    pip("--python", str(made.environment), "install", "--constraint", str(CHECKOUT / "constraints.txt"), str(wheel))
    (made.site_packages / "sitecustomize.py").write_text(LOOPBACK_ONLY, encoding="utf-8")
    made.work.mkdir()
    made.home.mkdir()
    return made
