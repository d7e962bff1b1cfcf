"""Which tests run when: four tiers, each of which holds the ones before it.

A test's tier is that of its folder, or of its one marker `tier(...)`; a back end that costs more raises it. What each
tier is for, and what it may take, is in `docs/contributing.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

import pytest

Tier = Literal["check", "test", "landing", "thorough"]
TIERS: tuple[Tier, ...] = get_args(Tier)

TESTS = Path(__file__).resolve().parents[1]

FOLDERS: Mapping[str, Tier] = {
    "unit/studies": "test",
    "unit": "check",
    "contract": "check",
    "house/static": "check",
    "doors": "test",
    "house/pages": "test",
    "house/plans": "test",
    "machines": "test",
    "house/packaging": "landing",
    "planted": "thorough",
}
BACK_ENDS: Mapping[str, Tier] = {"memory": "check", "sqlite": "test", "neo4j_26": "test", "neo4j_5": "landing"}
RAISING: Mapping[str, Tier] = {"postgres": "landing", "neural": "landing"}  # fixtures that take long to have
HISTORIES: Mapping[Tier, int] = {"check": 12, "test": 12, "landing": 40, "thorough": 3000}  # a back end

# What is costly to make, or has a state that all see, belongs to one worker: a server, an installed wheel, a model.
# The wheel's tests are with the line whose tests of the README need it too, and which the other tiers do not run.
TOGETHER: Mapping[str, str] = {
    "postgres": "postgres",
    "neural": "neural",
    "wheel": "neo4j_5",
    "installation": "neo4j_5",
}


def tier_of(item: pytest.Item) -> Tier:
    """The least tier that runs the test."""
    marker = item.get_closest_marker("tier")
    folder = folder_tier(item.path)
    assert folder, f"{item.path} is in no folder of `FOLDERS` in tests/kit/tiers.py: name its tier there"
    tiers: list[Tier] = [marker.args[0] if marker else folder]
    tiers += [BACK_ENDS[each] for each in back_ends(item)]
    tiers += [tier for name, tier in RAISING.items() if name in getattr(item, "fixturenames", ())]
    return max(tiers, key=TIERS.index)


def folder_tier(path: Path) -> Tier | None:
    """The tier that the folder of a file or folder says; None above the folders that say one."""
    inside = f"{path.relative_to(TESTS).as_posix()}/" if path.is_relative_to(TESTS) else ""
    return next((tier for start, tier in FOLDERS.items() if inside.startswith(f"{start}/")), None)


def is_beyond(path: Path, config: pytest.Config) -> bool:
    """Whether nothing in the folder is run, so that it need not be read."""
    tier = folder_tier(path)
    return bool(tier) and TIERS.index(tier) > TIERS.index(config.getoption("tier"))


def choose(items: list[pytest.Item], config: pytest.Config) -> None:
    """Keep the tests of the asked tier and of those before it; group those that must run in one worker."""
    asked = TIERS.index(config.getoption("tier"))
    beyond = [item for item in items if TIERS.index(tier_of(item)) > asked]
    if beyond:
        config.hook.pytest_deselected(items=beyond)
        left_out = set(beyond)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        servers = [each for each in back_ends(item) if each.startswith("neo4j")]
        groups = servers + [group for name, group in TOGETHER.items() if name in getattr(item, "fixturenames", ())]
        if groups:
            item.add_marker(pytest.mark.xdist_group(groups[0]))


def histories(config: pytest.Config) -> int:
    """How many random histories are played on each back end."""
    return HISTORIES[config.getoption("tier")]


def back_ends(item: pytest.Item) -> list[str]:
    """The back ends that the test's parameters name."""
    given = getattr(item, "callspec", None)
    return [each for each in given.params.values() if isinstance(each, str) and each in BACK_ENDS] if given else []
