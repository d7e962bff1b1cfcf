"""How well discovery finds what real questions need: prequential F1@5 over two databases of each shared half.

The formula is fixed and was not fitted to these; the bars lie .01 under what it gives. The whole of the data is run by
`python -m benchmarks.discovery_quality`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.discovery_quality import HeldEncoder, read_domains, replay
from services.encoders import Encoder

ARMS = [("blend", "none"), ("blend", "correct")]
DATABASES = {"bird": ["financial", "debit_card_specializing"], "spider": ["dog_kennels", "concert_singer"]}


def f1(shared: Path, half: str, encoder: Encoder | None) -> list[float]:
    domains = read_domains(shared / "data" / "discovery" / half, names=DATABASES[half])
    rows = [replay(domain, encoder, ARMS) for domain in domains]
    assert len(rows) == 2
    return [float(np.mean([row[arm] for row in rows])) for arm in ARMS]


@pytest.mark.parametrize(("half", "none", "correct"), [("bird", 0.571, 0.611), ("spider", 0.676, 0.743)])
def test_words_alone(shared: Path, half: str, none: float, correct: float) -> None:
    alone, corrected = f1(shared, half, None)
    assert alone >= none
    assert corrected >= correct


@pytest.mark.parametrize(("half", "none", "correct"), [("bird", 0.589, 0.632), ("spider", 0.706, 0.773)])
def test_with_the_real_encoder(shared: Path, neural: Encoder, half: str, none: float, correct: float) -> None:
    alone, corrected = f1(shared, half, HeldEncoder(neural))
    assert alone >= none
    assert corrected >= correct
