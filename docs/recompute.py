"""Recomputes the figures that the README quotes: the raw rows of the demo, its two means, the output of the example.

Run it with `make docs`; a house test compares what is committed with runs of its own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from api.cli.demo import Demo, run_demo
from api.settings import Settings
from api.wiring import open_services
from services.domains import load_domain

FIGURES = Path(__file__).parent / "figures" / "demo.json"
README = Path(__file__).parent.parent / "README.md"
SHOWN = re.compile(r"^```sh\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```$", flags=re.MULTILINE)
QUOTED = re.compile(r"F1@5 of \.\d\d without memory and \.\d\d with it")


def main() -> None:
    with open_services(Settings(store="memory://", encoder="none")) as services:
        tour = run_demo(services, "demo", load_domain("czech_bank"))
    write_figures(tour)
    text = README.read_text(encoding="utf-8")
    before, after = (f"{value:.2f}".removeprefix("0") for value in (tour.f1_before, tour.f1_after))
    text = QUOTED.sub(f"F1@5 of {before} without memory and {after} with it", text)
    README.write_text(SHOWN.sub(run_block, text), encoding="utf-8")
    print(f"F1@5 without memory {tour.f1_before:.3f}, with memory {tour.f1_after:.3f}: {FIGURES.name}")  # noqa: T201


def write_figures(tour: Demo) -> None:
    rows = [
        {
            "intent": question.task.intent,
            "objects": question.task.objects,
            "f1_at_5": {"without_memory": question.f1_before, "with_memory": question.f1_after},
        }
        for question in tour.questions
    ]
    FIGURES.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def run_block(found: re.Match[str]) -> str:
    """Return the block with the present output of its commands, run in a folder and a home of their own."""
    commands, shown = found.groups()
    with tempfile.TemporaryDirectory() as folder:
        environment = {"HOME": folder, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-e", "-c", commands],
            cwd=folder,
            env=environment | {"RETINUE_ENCODER": "none", "PYTHONPATH": str(README.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
    return found.group().replace(shown, done.stdout)


if __name__ == "__main__":
    main()
