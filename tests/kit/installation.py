"""The wheel, built and installed the way a user does it: into a fresh environment, outside the checkout.

The environment can reach nothing but loopback, so what runs in it shows that nothing else is needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

# Loaded by every Python of the environment at its start.
LOOPBACK_ONLY = '''\
"""No connection leaves this machine."""
import socket

_connect = socket.socket.connect


def connect(self, address):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"the test's environment has no network: {address!r}")
    return _connect(self, address)


socket.socket.connect = connect
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A fresh environment with Retinue's base in it, and a folder to work in that is neither checkout nor home."""

    environment: Path
    work: Path
    home: Path

    @property
    def site_packages(self) -> Path:
        return next(self.environment.glob("lib/python*/site-packages"))

    def run(self, script: str, *, seconds: float = 120, **variables: str) -> subprocess.CompletedProcess[str]:
        """The script's outcome, in a shell that stops at the first command that fails and knows no settings of ours."""
        kept = {name: value for name, value in os.environ.items() if name in {"LANG", "LC_ALL", "TZ", "SYSTEMROOT"}}
        path = os.pathsep.join([str(self.environment / "bin"), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "-euc", script],
            cwd=self.work,
            env={**kept, "PATH": path, "HOME": str(self.home), **variables},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"pip {' '.join(arguments)}\n{done.stderr[-2000:]}"
