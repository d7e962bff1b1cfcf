"""Reported faults of the kind: of many tables that look alike, memory brought up the wrong ones (`docs/faults.md`)."""

from __future__ import annotations

import pytest

from kit.values.spaces import Json, Space, table
from services.measures import f1_at_5

VIEWS, OTHERS = 40, 460
MARGIN = 0.01
REGIONS = (
    "avalon", "borneo", "corsica", "dalmatia", "epirus", "flanders", "galicia", "holstein", "istria", "jutland",
    "karelia", "lapland", "moravia", "navarre", "oltenia", "picardy", "quercy", "rioja", "savoy", "tuscany",
    "ulster", "valencia", "wallonia", "xanten", "yucatan", "zeeland", "alsace", "bohemia", "crete", "dobruja",
    "emilia", "friesland", "gotland", "hesse", "ionia", "judea", "kashubia", "lusatia", "malta", "nubia",
)  # fmt: skip


def view(region: str) -> list[Json]:
    said = f"what the shops of {region} sold"
    return table(f"sales_{region}", said, day="day of the sale", total="euros", shop="where it was sold")


def other(number: int) -> list[Json]:
    words = ("ledger", "machine", "contract", "parcel", "audit", "payroll", "sensor", "permit", "invoice", "recipe")
    word = words[number % len(words)]
    return table(f"{word}_{number}", f"{word} number {number}", code=f"{word} code", noted="day it was noted")


@pytest.mark.fault(42)
def test_among_forty_tables_that_look_alike_memory_is_never_worse_than_none(space: Space) -> None:
    """Each question is of another of them, so that every memory that it meets is of a wrong one."""
    space.load(*map(view, REGIONS), *map(other, range(OTHERS)))
    assert len(REGIONS) == VIEWS
    with_memory, without = [], []
    for region in REGIONS:
        asked = f"daily takings of the shops of {region}"
        needed = {f"sales_{region}", *(f"sales_{region}.{column}" for column in ("day", "total", "shop"))}
        answered = space.answer(asked)
        with_memory.append(f1_at_5([hit["id"] for hit in answered["results"]], needed))
        without.append(f1_at_5(space.found(asked, use_memory=False), needed))
        told = {"intent": asked, "sql": f"SELECT day, shop, SUM(total) FROM sales_{region} GROUP BY 1, 2"}
        space.done("POST", "/learn", json={**told, "discovery": answered["discovery"]})
    assert sum(without) / VIEWS > 0.5
    assert sum(with_memory) / VIEWS >= sum(without) / VIEWS - MARGIN
    again = [space.found(f"takings of each day, shops of {region}") for region in REGIONS]
    right = [found[0].split(".")[0] == f"sales_{region}" for found, region in zip(again, REGIONS, strict=True)]
    assert all(right)
