"""How well discovery finds what real questions need: prequential F1@5 over two databases of each shared half.

The bars lie .01 under what the rules give. The whole of the data is run by `retinue study discovery`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.wiring import open_memory_store
from services.encoders import Encoder
from services.studies.discovery.protocol import DiscoveryProtocol
from services.studies.discovery.study import DiscoveryStudy
from services.studies.running import run

DATABASES = {"bird": ("financial", "debit_card_specializing"), "spider": ("dog_kennels", "concert_singer")}


def f1(shared: Path, half: str, encoder: Encoder | None, out: Path) -> dict[str, float]:
    protocol = DiscoveryProtocol(
        data=(str(shared / "data" / "discovery" / half),), domain=DATABASES[half], rule=("none", "default")
    )
    summary = run(
        DiscoveryStudy(protocol, open_store=open_memory_store, encoder=encoder), out, clock=lambda: datetime.now(UTC)
    )
    return {row["rule"]: row["f1_at_5"] for row in summary["rows"] if row["domain"] == "macro"}


@pytest.mark.tier("test")
@pytest.mark.parametrize(("half", "none", "default"), [("bird", 0.571, 0.637), ("spider", 0.676, 0.743)])
def test_words_alone(shared: Path, half: str, none: float, default: float, tmp_path: Path) -> None:
    found = f1(shared, half, None, tmp_path)
    assert found["none"] >= none
    assert found["default"] >= default


@pytest.mark.parametrize(("half", "none", "default"), [("bird", 0.589, 0.644), ("spider", 0.706, 0.767)])
def test_with_the_real_encoder(
    shared: Path, neural: Encoder, half: str, none: float, default: float, tmp_path: Path
) -> None:
    found = f1(shared, half, neural, tmp_path)
    assert found["none"] >= none
    assert found["default"] >= default
