"""The `retinue` command run in processes of its own, as people run it, with none of the settings of whoever tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from api.settings import VARIABLES

COMMAND = [sys.executable, "-c", "from api.cli import main; main()"]
CHECKOUT = Path(__file__).resolve().parents[2]


class Shell:
    """Runs `retinue` with nothing of our settings but what is given."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        self.environment |= {"HOME": str(home), "PYTHONPATH": str(CHECKOUT), "RETINUE_ENCODER": "none"}
        for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            self.environment.pop(name, None)

    def __call__(self, *arguments: str, text: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            env=self.environment | settings,
            cwd=self.home if self.home.is_dir() else CHECKOUT,
            input=text,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([*COMMAND, *arguments], env=self.environment, cwd=self.home, text=True, **pipes)  # type: ignore[call-overload, no-any-return]
