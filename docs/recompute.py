"""Recomputes what the README quotes from a run: the raw rows of the demo, one a question, on a store in memory.

Run it with `make docs`; a house test compares what is committed with a run of its own.
"""

from __future__ import annotations

import json
from pathlib import Path

from api.settings import Settings
from api.tour import take_tour
from api.wiring import open_services
from services.domains import load_domain

FIGURES = Path(__file__).parent / "figures" / "demo.json"


def main() -> None:
    with open_services(Settings(store="memory://", encoder="none")) as services:
        tour = take_tour(services, "demo", load_domain("czech_bank"))
    rows = [
        {
            "intent": question.task.intent,
            "objects": question.task.objects,
            "f1_at_5": {"without_memory": question.f1_before, "with_memory": question.f1_after},
        }
        for question in tour.questions
    ]
    FIGURES.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"F1@5 without memory {tour.f1_before:.3f}, with memory {tour.f1_after:.3f}: {FIGURES.name}")  # noqa: T201


if __name__ == "__main__":
    main()
